"""Measures `calipers inspect` on models it builds itself, next to Python's `onnx`. Run it through `scripts/bench`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import bench_models as models

# Raised when a builder changes, so that models of an older one are not measured.
RECIPE = 1
TIMEOUT_S = 180
# A chain ten times as long may cost this much more per added node: caches run out, an algorithm does not.
LINEAR_FACTOR = 2.0

LARGE = {"layers": 32, "hidden": 1024, "ffn": 2816, "vocab": 32000, "heads": 16}
SMALL = {"layers": 32, "hidden": 384, "ffn": 1056, "vocab": 12000, "heads": 6}
SEVEN_B = {"layers": 32, "hidden": 4096, "ffn": 11008, "vocab": 32000, "heads": 32}


@dataclass(frozen=True)
class Case:
    name: str
    what: str
    build: Callable[[Path], int]
    runs: int = 15
    limit_ms: float | None = None
    limit_mb: float | None = None
    # Whether Python's `onnx` infers shapes too, as Calipers always does.
    infer: bool = False


def chain_case(name, what, count, **limits):
    return Case(name, what, lambda path: models.chain(path, count), **limits)


CASES = [
    Case("inline", "1.9 GB, weights inline (raw_data)",
         lambda path: models.transformer(path, **LARGE), limit_ms=50, limit_mb=25),
    Case("external", "13 GB, weights in a second file",
         lambda path: models.transformer(path, storage="external", dtype=models.FLOAT16, **SEVEN_B),
         limit_ms=50, limit_mb=25),
    Case("packed-270m", "270 MB, weights in packed float_data",
         lambda path: models.transformer(path, storage="float_data", **SMALL), limit_ms=50, limit_mb=25),
    Case("packed-1900m", "1.9 GB, weights in packed float_data",
         lambda path: models.transformer(path, storage="float_data", **LARGE), limit_ms=50, limit_mb=25),
    Case("swin_t", "6,194 nodes of a vision transformer", models.fixture("swin_t.onnx"),
         limit_ms=60, infer=True),
    Case("digits", "25 kB digit classifier", models.digits, runs=200, limit_ms=5),
    chain_case("chain-1k", "chain of 1,000 nodes", 1_000, runs=50),
    chain_case("chain-10k", "chain of 10,000 nodes", 10_000, runs=30),
    chain_case("chain-100k", "chain of 100,000 nodes", 100_000, limit_ms=300),
    chain_case("chain-1m", "chain of 1,000,000 nodes", 1_000_000, runs=5),
]  # fmt: skip
CHAINS = {"chain-1k": 1_000, "chain-10k": 10_000, "chain-100k": 100_000, "chain-1m": 1_000_000}


@dataclass
class Result:
    case: str
    file_bytes: int = 0
    ms: float | None = None
    mb: float | None = None
    runs: int = 0
    onnx_load_ms: float | None = None
    onnx_process_ms: float | None = None
    onnx_mb: float | None = None
    onnx_error: str | None = None
    nodes: int | None = None
    onnx_nodes: int | None = None
    misses: tuple = ()


def measure(launcher, command, runs):
    """Medians over `runs` starts of `command`: (milliseconds, megabytes, exit status of the last run)."""
    process = subprocess.Popen(
        [launcher, str(runs), *map(str, command)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return TIMEOUT_S * 1e3, None, f"no end within {TIMEOUT_S} s"
    rows = [line.split() for line in output.splitlines()]
    if not rows:
        return None, None, "did not start"
    ms = statistics.median(int(row[0]) for row in rows) / 1e3
    mb = statistics.median(int(row[1]) for row in rows) / 1e6
    code = int(rows[-1][2])
    return ms, mb, f"exit status {code}" if code else None


def warm(path):
    """Brings the file into the page cache, where mapped pages cost the most resident memory."""
    with open(path, "rb", buffering=0) as file:
        chunk = bytearray(1 << 22)
        while file.readinto(chunk):
            pass


def run_calipers(result, case, path, options):
    command = [options.calipers, "inspect", path, "--format", "json"]
    ms, _, _ = measure(options.launcher, command, 1)
    slow = ms is not None and ms > 2_000
    result.runs = 3 if slow else case.runs
    result.ms, result.mb, trouble = measure(options.launcher, command, result.runs)
    misses = []
    if trouble:
        misses.append(trouble)
    else:
        # A fast answer counts only if it is an answer.
        said = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False).stdout
        try:
            result.nodes = json.loads(said)["graph"]["nodes"]
        except (ValueError, KeyError, TypeError):
            misses.append("no report on standard output")
    if case.limit_ms is not None and result.ms is not None and result.ms > case.limit_ms:
        misses.append("time")
    if case.limit_mb is not None and result.mb is not None and result.mb > case.limit_mb:
        misses.append("memory")
    result.misses = tuple(misses)


def run_onnx(result, case, path, options):
    answer_path = options.folder / "onnx.json"
    command = [sys.executable, Path(__file__).with_name("bench_onnx.py"), path, answer_path]
    command += ["infer"] if case.infer else []
    processes, loads = [], []
    for _ in range(1 if result.file_bytes > 1e9 else 3):
        answer_path.unlink(missing_ok=True)
        ms, result.onnx_mb, trouble = measure(options.launcher, command, 1)
        if trouble:
            result.onnx_error = trouble
            return
        answer = json.loads(answer_path.read_text())
        if "error" in answer:
            result.onnx_error = answer["error"]
            return
        processes.append(ms)
        loads.append(answer["load_ms"])
        result.onnx_nodes = answer["nodes"]
    result.onnx_process_ms = statistics.median(processes)
    result.onnx_load_ms = statistics.median(loads)


def run_case(case, options):
    path = options.folder / f"{case.name}.onnx"
    if not path.exists():
        print(f"building {case.name}: {case.what}", file=sys.stderr)
        case.build(path)
    print(f"measuring {case.name}", file=sys.stderr)
    result = Result(case.name, file_bytes=path.stat().st_size)
    warm(path)
    if options.baseline:
        run_onnx(result, case, path, options)
    run_calipers(result, case, path, options)
    if None not in (result.nodes, result.onnx_nodes) and result.nodes != result.onnx_nodes:
        result.misses += (f"{result.nodes} nodes where onnx counts {result.onnx_nodes}",)
    return result


def figure(value, digits=1):
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio(theirs, ours):
    if theirs is None or not ours:
        return "-"
    return f"{theirs / ours:,.{0 if theirs >= 10 * ours else 1}f}x"


def target(limit):
    return "" if limit is None else f"<= {limit:g}"


def verdict(misses):
    return "MISS: " + ", ".join(misses) if misses else "ok"


def print_table(rows, left=1):
    """Columns as wide as their widest cell; the first `left` and the last one are aligned to the left."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    for row in rows:
        cells = [
            cell.ljust(width) if index < left or index == len(row) - 1 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(cells).rstrip())


def print_results(results):
    rows = [("case", "model", "runs", "ms", "target", "MB", "target",
             "onnx ms", "ratio", "with import", "ratio", "onnx MB", "verdict")]  # fmt: skip
    for case, result in results:
        rows.append((
            case.name, case.what, str(result.runs),
            figure(result.ms), target(case.limit_ms), figure(result.mb), target(case.limit_mb),
            figure(result.onnx_load_ms), ratio(result.onnx_load_ms, result.ms),
            figure(result.onnx_process_ms), ratio(result.onnx_process_ms, result.ms),
            figure(result.onnx_mb), verdict(result.misses),
        ))  # fmt: skip
    print_table(rows, left=2)
    for case, result in results:
        if result.onnx_error:
            print(f"onnx on {case.name}: {result.onnx_error}")


def linearity(results):
    """Prints the cost of each added node and returns what grows faster than the chain, as misses."""
    points = [(CHAINS[case.name], result.ms) for case, result in results if case.name in CHAINS and result.ms]
    if len(points) < 2:
        return []
    rows = [("nodes", "ms", "us per node", "us per added node", "target", "verdict")]
    misses, before, slopes = [], None, []
    for count, ms in points:
        slope = factor = None
        if before:
            slope = (ms - before[1]) * 1e3 / (count - before[0])
            # Slopes between short chains are noise of process start; only long ones are compared.
            if slopes and before[0] >= 100_000 and slopes[-1] > 0:
                factor = slope / slopes[-1]
            slopes.append(slope)
        bad = factor is not None and factor > LINEAR_FACTOR
        if bad:
            misses.append(f"chain of {count} nodes: {factor:.1f} times the cost per node")
        said = "" if factor is None else f"{'MISS' if bad else 'ok'} ({factor:.2f})"
        limit = "" if factor is None else f"<= {LINEAR_FACTOR:g}x the row above"
        rows.append((f"{count:,}", figure(ms), figure(ms * 1e3 / count, 2), figure(slope, 3), limit, said))
        before = (count, ms)
    print("\nGrowth with the length of the graph")
    print_table(rows, left=0)
    return misses


def parse_arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split(". ")[0] + ".")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    parser.add_argument("--only", action="append", metavar="CASE", choices=[case.name for case in CASES],
                        help="measure this case alone (repeatable): " + ", ".join(case.name for case in CASES))  # fmt: skip
    parser.add_argument("--no-baseline", dest="baseline", action="store_false", help="leave Python's onnx out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--verify", action="store_true", help="only prove small variants of the models valid")
    for name in ("--target", "--calipers", "--launcher"):
        parser.add_argument(name, type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse_arguments()
    options.folder = options.target / "bench-models" / f"recipe-{RECIPE}"
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.verify:
        models.verify(options.folder / "verify")
        return 0

    chosen = [case for case in CASES if not options.only or case.name in options.only]
    results = [(case, run_case(case, options)) for case in chosen]
    print_results(results)
    misses = [f"{case.name}: {miss}" for case, result in results for miss in result.misses]
    misses += linearity(results)
    print(f"\n{len(misses)} missed" if misses else "\nall targets met")
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for _, result in results], indent=1) + "\n")
    return 1 if misses and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
