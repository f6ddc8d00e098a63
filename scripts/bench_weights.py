"""Reads 1 GB of weights with `calipers --weights`, next to NumPy doing the same statistics in the same run.

Run it through `scripts/bench`. Both read a file that is in the page cache. NumPy maps it and takes, a tensor at a time,
NaN, infinities, subnormals, zeros, least, greatest, mean and deviation, what is the same in half precision, and rows and
columns of zeros; Calipers does that and looks for duplicates, and writes its whole report.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import bench_models as models

# A layer is 64 MiB; 16 of them are 1.07 GB.
LAYERS, WIDTH = 16, 4096
TARGET_GBPS = 3.0


def build(path):
    """A chain of matrix products whose weights are normal, each layer with a deviation of its own."""
    import numpy

    random = numpy.random.default_rng(7)
    nodes, parts = [], []
    for layer in range(LAYERS):
        weight = random.standard_normal((WIDTH, WIDTH), dtype=numpy.float32) * numpy.float32(0.01 * (layer + 1))
        raw = weight.tobytes()
        head = models.tensor_head(f"w{layer}", models.FLOAT, [WIDTH, WIDTH])
        parts += models.message(5, [head, models.varint(9 << 3 | 2) + models.varint(len(raw)), raw])
        nodes.append(models.node("MatMul", [f"x{layer}", f"w{layer}"], [f"y{layer}"]))
        nodes.append(models.node("Relu", [f"y{layer}"], [f"x{layer + 1}"]))
    graph = [*nodes, models.text(2, "weights"), *parts]
    graph.append(models.value_info(11, "x0", models.FLOAT, ["batch", WIDTH]))
    graph.append(models.value_info(12, f"x{LAYERS}", models.FLOAT, ["batch", WIDTH]))
    models.write_model(path, graph)


def tensors(path):
    """Each tensor as an array over the mapped file: found by its name, which is before its bytes."""
    import numpy

    data = numpy.memmap(path, numpy.uint8, "r")
    size = WIDTH * WIDTH * 4
    at = 0
    whole = memoryview(data)
    for layer in range(LAYERS):
        name = models.text(8, f"w{layer}") + models.varint(9 << 3 | 2) + models.varint(size)
        window = bytes(whole[at : at + 4096])
        at += window.index(name) + len(name)
        yield f"w{layer}", numpy.frombuffer(whole[at : at + size], "<f4").reshape(WIDTH, WIDTH)
        at += size


def with_numpy(path):
    import numpy

    seen = {}
    with numpy.errstate(all="ignore"):
        for name, array in tensors(path):
            size = numpy.abs(array)
            seen[name] = {
                "nan": int(numpy.isnan(array).sum()),
                "infinite": int(numpy.isinf(array).sum()),
                "subnormal": int(((size > 0) & (size < numpy.finfo(numpy.float32).tiny)).sum()),
                "zeros": int((array == 0).sum()),
                "min": float(array.min()),
                "max": float(array.max()),
                "mean": float(array.mean(dtype=numpy.float64)),
                "std": float(array.std(dtype=numpy.float64)),
                "half": bool((array.astype(numpy.float16).astype(numpy.float32) == array).all()),
                "columns": int((array == 0).all(axis=0).sum()),
            }
    return seen


def timed(call, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), min(times), result


def differences(ours, theirs):
    """Where the two disagree beyond rounding."""
    rows = {row["name"]: row for row in ours["weights"]["ranges"]}
    for name, wanted in theirs.items():
        row = rows.get(name)
        if row is None:
            yield f"{name} is missing"
            continue
        for key in ("min", "max", "mean", "std"):
            if abs(row[key] - wanted[key]) > 1e-9 + 1e-6 * abs(wanted[key]):
                yield f"{name}: {key} {row[key]} where NumPy says {wanted[key]}"
    for key in ("nan", "infinite", "subnormal", "zeros"):
        wanted = sum(row[key] for row in theirs.values())
        if ours["weights"][key] != wanted:
            yield f"{key}: {ours['weights'][key]} where NumPy says {wanted}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="exit with 1 when the target is missed")
    parser.add_argument("--runs", type=int, default=5)
    options, _ = parser.parse_known_args()
    folder = options.target / "bench-models"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"weights-{LAYERS}x{WIDTH}.onnx"
    if not path.exists():
        print("building weights: 1 GB of them", file=sys.stderr)
        build(path)
    command = [options.calipers, "inspect", "--weights", path, "--format", "json"]
    plain = [options.calipers, "inspect", path, "--format", "json"]

    def calipers(command=command):
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    calipers()  # Brings the file into the page cache.
    gb = LAYERS * WIDTH * WIDTH * 4 / 1e9
    base, _, _ = timed(lambda: calipers(plain), options.runs)
    ours, best, report = timed(calipers, options.runs)
    theirs, _, wanted = timed(lambda: with_numpy(path), max(1, options.runs // 3))
    misses = list(differences(report, wanted))
    speed = gb / (ours - base)
    if speed < TARGET_GBPS:
        misses.append(f"{speed:.2f} GB/s where {TARGET_GBPS:g} are wanted")
    print(f"\nReading {gb:.2f} GB of weights")
    print(f"calipers --weights  {ours * 1e3:8.0f} ms  (without {base * 1e3:.0f} ms, best {best * 1e3:.0f} ms)  {speed:.2f} GB/s")
    print(f"NumPy               {theirs * 1e3:8.0f} ms  {gb / theirs:.2f} GB/s")
    print(f"ratio {theirs / ours:.1f}x  {'MISS: ' + '; '.join(misses) if misses else 'ok'}")
    return 1 if misses and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
