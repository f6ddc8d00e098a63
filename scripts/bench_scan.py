"""Scans small models: models per second and memory, at two sizes, beside Python's `onnx` in the same run.

    bench_scan.py CALIPERS FIXTURES [MODELS]
"""

import pathlib
import resource
import subprocess
import sys
import tempfile
import time

CALIPERS, FIXTURES = sys.argv[1], pathlib.Path(sys.argv[2])
MODELS = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000


def make(folder, count):
    """Distinct models: copies of the fixtures, each with its own description (field 6 of ModelProto)."""
    sources = [path.read_bytes() for path in sorted(FIXTURES.glob("families/*.onnx"))]
    for number in range(count):
        text = f"model {number:06}".encode()
        part = folder / f"{number // 1000:03}"
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{number:06}.onnx").write_bytes(sources[number % len(sources)] + b"\x32" + bytes([len(text)]) + text)


def scan(folder, dataset):
    began = time.monotonic()
    process = subprocess.Popen([CALIPERS, "scan", folder, "-o", dataset], stdout=subprocess.DEVNULL)
    _, _, usage = __import__("os").wait4(process.pid, 0)
    return time.monotonic() - began, usage.ru_maxrss / 1e3


PEER = """
import sys, pathlib, onnx.shape_inference
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.onnx")):
    onnx.shape_inference.infer_shapes(onnx.load(path, load_external_data=False))
"""

with tempfile.TemporaryDirectory() as place:
    place = pathlib.Path(place)
    for count in (MODELS // 10, MODELS):
        make(place / str(count), count)
        seconds, memory = scan(place / str(count), place / f"dataset-{count}")
        print(f"scan {count:,} models: {count / seconds:,.0f} per second, {memory:.0f} MB", flush=True)
    began = time.monotonic()
    if subprocess.run([sys.executable, "-c", PEER, place / str(MODELS)], stderr=subprocess.DEVNULL).returncode == 0:
        peer = time.monotonic() - began
        print(f"onnx, loading and shapes alone, one process: {MODELS / peer:,.0f} per second; ratio {peer / seconds:.2f}")
