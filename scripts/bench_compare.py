"""Compares two graphs of 100,000 nodes, and 1 GB of weights with variants of it, next to Python doing less of the same.

Run it through `scripts/bench`. The second graph has another name for every node and value and lacks four nodes. Python
reads both graphs with `onnx` and aligns their operators with difflib, as a diff of two lists does; it sees no wiring. For
the weights NumPy computes the same differences of two float32 files, a tensor at a time, from the page cache. Every
element differs, so that no shortcut for equal bytes applies. Other variants are stored as float16, as int8 with a scale
per channel, and in 4 bits with a scale per 32 elements.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import bench_models as models
import bench_weights as weights

NODES = 100_000
PEER_NODES = 3_000
MISSING = (500, 50_001, 70_001, 99_000)
TARGET_S, TARGET_MB, TARGET_GBPS = 3.0, 600, 2.0
OPERATORS = ["Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Exp", "Add"]


def graph(path, prefix, missing):
    """A chain with residual additions. The operator at each place is the same in both files."""
    choose = random.Random(7)
    nodes, last, before = [], "x", "x"
    for place in range(NODES):
        op = choose.choice(OPERATORS)
        if place in missing:
            continue
        output = f"{prefix}v{place}"
        inputs = [last, before] if op == "Add" else [last]
        nodes.append(models.node(op, inputs, [output], name=f"{prefix}n{place}"))
        last, before = output, last
    nodes.append(models.node("Identity", [last], ["y"]))
    ports = [models.value_info(11, "x", models.FLOAT, [1, 8]), models.value_info(12, "y", models.FLOAT, [1, 8])]
    models.write_model(path, [*nodes, models.text(2, "chain"), *ports])


def with_difflib(a, b):
    import difflib

    import onnx

    ops = [[node.op_type for node in onnx.load(path).graph.node] for path in (a, b)]
    # Its time grows with the square of the length: all 100,000 would take hours.
    return difflib.SequenceMatcher(None, ops[0][:PEER_NODES], ops[1][:PEER_NODES], autojunk=False).get_opcodes()


def tensor(name, dtype, array, dims=None):
    raw = array.tobytes()
    head = models.tensor_head(name, dtype, dims or array.shape)
    return models.message(5, [head, models.varint(9 << 3 | 2) + models.varint(len(raw)), raw])


def tuned(name, array):
    return "MatMul", [name], {}, [tensor(name, models.FLOAT, array * array.dtype.type(1.001))]


def float16(name, array):
    return "MatMul", [name], {}, [tensor(name, models.FLOAT16, array.astype("<f2"))]


def int8(name, array):
    """A DequantizeLinear node before each product, with a scale for each column."""
    scale = abs(array).max(axis=0) / 127
    codes = (array / scale).round().astype("<i1")
    stored = [tensor(name, models.INT8, codes), tensor(f"{name}.scale", models.FLOAT, scale)]
    return "DequantizeLinear", [name, f"{name}.scale"], {"axis": 1}, stored


def four_bits(name, array):
    """MatMulNBits: the transposed matrix in blocks of 32, two elements to a byte."""
    blocks = array.T.reshape(weights.WIDTH, -1, 32)
    scale = abs(blocks).max(axis=2) / 7
    codes = ((blocks / scale[:, :, None]).round() + 8).astype("<u1")
    packed = codes[:, :, 0::2] | codes[:, :, 1::2] << 4
    sizes = {"K": weights.WIDTH, "N": weights.WIDTH, "bits": 4, "block_size": 32}
    stored = [tensor(name, models.UINT8, packed), tensor(f"{name}.scale", models.FLOAT, scale.reshape(-1))]
    return "MatMulNBits", [name, f"{name}.scale"], sizes, stored


VARIANTS = {"float32": tuned, "float16": float16, "int8": int8, "4-bit": four_bits}


def vary(path, other, store):
    """A copy of the model with weights stored in another way."""
    nodes, parts = [], []
    for layer, (name, array) in enumerate(weights.tensors(path)):
        op, inputs, attributes, stored = store(name, array)
        parts += [part for message in stored for part in message]
        x, y = f"x{layer}", f"y{layer}"
        if op == "DequantizeLinear":
            nodes.append(models.node(op, inputs, [f"{name}.float"], **attributes))
            op, inputs, attributes = "MatMul", [f"{name}.float"], {}
        domain = "com.microsoft" if op == "MatMulNBits" else ""
        nodes.append(models.node(op, [x, *inputs], [y], domain=domain, **attributes))
        nodes.append(models.node("Relu", [y], [f"x{layer + 1}"]))
    ends = ((11, "x0"), (12, f"x{weights.LAYERS}"))
    ports = [models.value_info(field, name, models.FLOAT, ["batch", weights.WIDTH]) for field, name in ends]
    domains = ["com.microsoft"] if store is four_bits else []
    models.write_model(other, [*nodes, models.text(2, "weights"), *parts, *ports], domains=domains)


def with_numpy(a, b):
    import numpy

    total = 0.0
    for (_, left), (_, right) in zip(weights.tensors(a), weights.tensors(b)):
        difference = left - right
        total += float(numpy.square(difference, dtype=numpy.float64).sum())
        _ = (numpy.abs(difference).max(), numpy.abs(difference).mean(dtype=numpy.float64))
        _ = (float(numpy.square(left, dtype=numpy.float64).sum()), float((left.astype(numpy.float64) * right).sum()))
        _ = int((numpy.signbit(left) != numpy.signbit(right)).sum())
    return total


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="exit with 1 when a target is missed")
    options, _ = parser.parse_known_args()
    folder = options.target / "bench-models"
    folder.mkdir(parents=True, exist_ok=True)
    a, b = folder / "chain-a.onnx", folder / "chain-b.onnx"
    if not b.exists():
        graph(a, "", ())
        graph(b, "other_", MISSING)
    misses = []

    def compare(*arguments):
        command = [options.calipers, "compare", *arguments, "--format", "json"]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    seconds, found = timed(lambda: compare(a, b))
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    counts = [len(found["graph"][key]) for key in ("added", "removed")]
    if counts != [0, len(MISSING)]:
        misses.append(f"added and removed are {counts}")
    if seconds > TARGET_S or megabytes > TARGET_MB:
        misses.append(f"{TARGET_S:g} s and {TARGET_MB} MB are wanted")
    peer, _ = timed(lambda: with_difflib(a, b))
    print(f"\nComparing two graphs of {NODES:,} nodes, every name changed, {len(MISSING)} nodes removed")
    rate, peer_rate = NODES / seconds, PEER_NODES / peer
    print(f"calipers compare                      {seconds:6.2f} s  {rate:8,.0f} nodes/s  {megabytes:.0f} MB")
    print(f"onnx + difflib, first {PEER_NODES:,} operators {peer:6.2f} s  {peer_rate:8,.0f} nodes/s  ratio {rate / peer_rate:.1f}x")

    path = folder / f"weights-{weights.LAYERS}x{weights.WIDTH}.onnx"
    if not path.exists():
        weights.build(path)
    bytes_a = path.stat().st_size
    for kind, store in VARIANTS.items():
        other = path.with_name(f"{kind}-of-{path.name}")
        if not other.exists():
            vary(path, other, store)
        compare(path, other, "--weights")  # Brings the files into the page cache.
        base, _ = timed(lambda: compare(path, other))
        seconds, found = min((timed(lambda: compare(path, other, "--weights")) for _ in range(3)), key=lambda it: it[0])
        gb = (bytes_a + other.stat().st_size) / 1e9
        speed = gb / (seconds - base)
        total = found["weights"]["total"]
        if found["weights"]["compared"] != weights.LAYERS or total["different"] == 0:
            misses.append(f"{kind}: {found['weights']['compared']} tensors, {total['different']} elements differ")
        if speed < TARGET_GBPS:
            misses.append(f"{kind}: {speed:.2f} GB/s where {TARGET_GBPS:g} are wanted")
        print(f"Comparing {gb:.2f} GB of weights, float32 with {kind}")
        print(f"calipers compare --weights {seconds * 1e3:8.0f} ms  (without {base * 1e3:.0f} ms)  {speed:.2f} GB/s")
        if kind == "float32":
            peer, wanted = timed(lambda: with_numpy(path, other))
            if not abs(total["relative_norm"] - 0.001) < 1e-5 or wanted == 0:
                misses.append("the relative norm is not 0.001")
            print(f"NumPy                      {peer * 1e3:8.0f} ms  {gb / peer:.2f} GB/s  ratio {peer / seconds:.1f}x")
    print("MISS: " + "; ".join(misses) if misses else "ok")
    return 1 if misses and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
