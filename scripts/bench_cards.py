"""Writes the cards of 1,000 small models with `calipers card`, without charts, and says how many a second.

Run it through `scripts/bench cards`. The models are the small ones of the fixtures, over and over, in folders. The same
is done with a quarter of them: memory that followed the number of models would be seen.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MODELS = 1_000
LARGEST_BYTES = 60_000
TARGET_PER_SECOND = 100
# Four times the models may take a little more: the lines of the index.
TARGET_GROWTH = 1.25


def build(folder, count):
    """A folder of this many small models; gives how many kinds there are."""
    kinds = sorted(
        path for path in (ROOT / "tests/fixtures/zoo").glob("*.onnx") if path.stat().st_size <= LARGEST_BYTES
    )
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(count):
        source = kinds[number % len(kinds)]
        place = folder / f"{number // 100:02}" / f"{number:04}-{source.name}"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, place)
    return len(kinds)


def measure(calipers, models, output):
    """Seconds and most bytes resident of one run."""
    shutil.rmtree(output, ignore_errors=True)
    began = time.perf_counter()
    process = subprocess.Popen([calipers, "card", models, "-o", output, "--assets", "none"])
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        sys.exit(f"calipers card ended with {os.waitstatus_to_exitcode(status)}")
    unit = 1 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss * unit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    options, _ = parser.parse_known_args()
    models, output = options.target / "bench-cards/models", options.target / "bench-cards/cards"
    found = []
    for count in (MODELS // 4, MODELS):
        kinds = build(models, count)
        seconds, resident = min(measure(options.calipers, models, output) for _ in range(3))
        written = len(list(output.glob("*/README.md")))
        found.append((seconds, resident))
        print(
            f"cards: {written} of {count} models of {kinds} kinds in {seconds:.2f} s, {count / seconds:.0f} a second, "
            f"{resident / 1e6:.0f} MB, on {os.cpu_count()} cores"
        )
    shutil.rmtree(options.target / "bench-cards")
    speed, growth = MODELS / found[1][0], found[1][1] / found[0][1]
    met = speed >= TARGET_PER_SECOND and growth <= TARGET_GROWTH
    print(f"cards: {speed:.0f} a second (at least {TARGET_PER_SECOND}), memory grows by {growth:.2f} (at most {TARGET_GROWTH}): {'met' if met else 'MISSED'}")
    return 1 if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
