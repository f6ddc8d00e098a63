"""Builds the models the benchmark reads, without the `onnx` package and without holding weights in memory.

A model is written as protobuf by hand: a list of byte strings with holes between them. A hole represents weights that
are all zero; it is seeked over, so that the file system stores a sparse file and a 13 GB model takes a few kilobytes.
"""

import os
import random
import struct
from pathlib import Path

FLOAT, UINT8, INT8, INT64, FLOAT16 = 1, 2, 3, 7, 10  # TensorProto.DataType
ITEM_BYTES = {FLOAT: 4, INT64: 8, FLOAT16: 2}


class Hole(int):
    """This many zero bytes that are not written."""


# Protobuf's wire format, as much of it as ONNX needs.


def varint(number):
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field, number):
    return varint(field << 3) + varint(number)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def length(parts):
    return sum(part if isinstance(part, Hole) else len(part) for part in parts)


def message(field, parts):
    """A nested message whose body may hold holes."""
    return [varint(field << 3 | 2) + varint(length(parts)), *parts]


# ONNX's messages; the field numbers are those of onnx.proto.


def attribute(name, value):
    if isinstance(value, float):
        return text(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, 1)
    if isinstance(value, int):
        return text(1, name) + integer(3, value) + integer(20, 2)
    return text(1, name) + b"".join(integer(8, item) for item in value) + integer(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    body = b"".join(text(1, value) for value in inputs)
    body += b"".join(text(2, value) for value in outputs)
    if name:
        body += text(3, name)
    body += text(4, op)
    if domain:
        body += text(7, domain)
    body += b"".join(text(5, attribute(key, value)) for key, value in attributes.items())
    return text(1, body)


def value_info(field, name, dtype, shape):
    dims = b"".join(text(1, integer(1, dim) if isinstance(dim, int) else text(2, dim)) for dim in shape)
    tensor_type = integer(1, dtype) + text(2, dims)
    return text(field, text(1, name) + text(2, text(1, tensor_type)))


def tensor_head(name, dtype, dims):
    return b"".join(integer(1, dim) for dim in dims) + integer(2, dtype) + text(8, name)


def small_tensor(name, dtype, dims, values):
    letter = {FLOAT: "f", INT64: "q", FLOAT16: "e"}[dtype]
    raw = struct.pack(f"<{len(values)}{letter}", *values)
    return text(5, tensor_head(name, dtype, dims) + text(9, raw))


def entry(key, value):
    return text(13, text(1, key) + text(2, str(value)))


def write_model(path, graph, opset=17, domains=()):
    """Writes a file under another name and renames it, so that what is at `path` is whole."""
    head = integer(1, 8) + text(2, "calipers-bench")
    opsets = {"": opset} | dict.fromkeys(domains, 1)
    tail = b"".join(text(8, text(1, domain) + integer(2, version)) for domain, version in opsets.items())
    temporary = path.with_suffix(".partial")
    with open(temporary, "wb") as out:
        for part in [head, *message(7, graph), tail]:
            if isinstance(part, Hole):
                out.seek(part, os.SEEK_CUR)
            else:
                out.write(part)
        out.truncate()
    temporary.rename(path)


class Weights:
    """Collects zero weights as initializers in one of the three ways ONNX stores them."""

    def __init__(self, storage, dtype, location):
        self.storage, self.dtype, self.location = storage, dtype, location
        self.parts = []
        self.elements = 0
        self.external_bytes = 0

    def add(self, name, *dims):
        count = 1
        for dim in dims:
            count *= dim
        size = count * ITEM_BYTES[self.dtype]
        self.elements += count
        head = tensor_head(name, self.dtype, dims)
        if self.storage == "raw":
            body = [head, varint(9 << 3 | 2) + varint(size), Hole(size)]
        elif self.storage == "float_data":
            body = [head, varint(4 << 3 | 2) + varint(size), Hole(size)]
        else:
            where = entry("location", self.location)
            where += entry("offset", self.external_bytes) + entry("length", size)
            body = [head + where + integer(14, 1)]
            self.external_bytes += size
        self.parts += message(5, body)
        return name


def transformer(path, *, layers, hidden, ffn, vocab, heads, storage="raw", dtype=FLOAT):
    """A decoder of the Llama shape: nine tensors a layer, 291 in all at 32 layers. Returns its parameters."""
    data_path = path.with_name(path.name + ".data")
    weights = Weights(storage, dtype, data_path.name)
    constants = [
        small_tensor("split", INT64, [4], [0, 0, heads, hidden // heads]),
        small_tensor("merge", INT64, [3], [0, 0, hidden]),
        small_tensor("scale", dtype, [], [(hidden // heads) ** -0.5]),
    ]
    nodes = [node("Gather", [weights.add("embed", vocab, hidden), "ids"], ["h0"], "embed")]
    for index in range(layers):
        nodes += decoder_layer(weights, index, hidden, ffn)
    norm = weights.add("norm", hidden)
    nodes.append(node("LayerNormalization", [f"h{layers}", norm], ["normed"], "norm", axis=-1))
    nodes.append(node("MatMul", ["normed", weights.add("head", hidden, vocab)], ["logits"], "head"))

    graph = [*nodes, text(2, "transformer"), *constants, *weights.parts]
    graph.append(value_info(11, "ids", INT64, ["batch", "sequence"]))
    graph.append(value_info(12, "logits", dtype, ["batch", "sequence", vocab]))
    write_model(path, graph)
    if storage == "external":
        with open(data_path, "wb") as out:
            out.truncate(weights.external_bytes)
    return weights.elements


def decoder_layer(weights, index, hidden, ffn):
    prefix = f"layers.{index}"
    nodes = []

    def run(op, inputs, output, **attributes):
        name = f"{prefix}.{output}"
        nodes.append(node(op, inputs, [name], f"/{name}", **attributes))
        return name

    def linear(value, output, rows, columns):
        return run("MatMul", [value, weights.add(f"{prefix}.{output}.weight", rows, columns)], output)

    def norm(value, output):
        return run("LayerNormalization", [value, weights.add(f"{prefix}.{output}.weight", hidden)], output, axis=-1)

    def split(value, output, perm):
        return run("Transpose", [run("Reshape", [value, "split"], f"{output}_split")], output, perm=perm)

    stream = f"h{index}"
    normed = norm(stream, "norm1")
    query = split(linear(normed, "q", hidden, hidden), "query", [0, 2, 1, 3])
    key = split(linear(normed, "k", hidden, hidden), "key", [0, 2, 3, 1])
    value = split(linear(normed, "v", hidden, hidden), "value", [0, 2, 1, 3])
    scores = run("Mul", [run("MatMul", [query, key], "qk"), "scale"], "scores")
    context = run("MatMul", [run("Softmax", [scores], "softmax", axis=-1), value], "context")
    merged = run("Reshape", [run("Transpose", [context], "back", perm=[0, 2, 1, 3]), "merge"], "merged")
    stream = run("Add", [stream, linear(merged, "o", hidden, hidden)], "attended")

    normed = norm(stream, "norm2")
    gate = linear(normed, "gate", hidden, ffn)
    silu = run("Mul", [gate, run("Sigmoid", [gate], "sigmoid")], "silu")
    gated = run("Mul", [silu, linear(normed, "up", hidden, ffn)], "gated")
    down = linear(gated, "down", ffn, hidden)
    nodes.append(node("Add", [stream, down], [f"h{index + 1}"], f"/{prefix}.out"))
    return nodes


def chain(path, count):
    """This many element-wise nodes, each reading the one before it."""
    ops = ["Relu", "Neg", "Sigmoid", "Abs"]
    names = ["x", *(f"v{index}" for index in range(1, count)), "y"]
    nodes = (node(ops[i % 4], [names[i]], [names[i + 1]], f"n{i}") for i in range(count))
    signature = value_info(11, "x", FLOAT, ["batch", 64]) + value_info(12, "y", FLOAT, ["batch", 64])
    write_model(path, [b"".join(nodes), text(2, "chain") + signature])
    return 0


def fixture(name):
    """A model that comes with the repository."""
    source = Path(__file__).resolve().parent.parent / "tests" / "fixtures" / "zoo" / name
    return lambda path: path.write_bytes(source.read_bytes())


def digits(path):
    """A digit classifier of the LeNet kind, 26 kB: two convolutions, two poolings, one product."""
    dice = random.Random(0)
    tensors, total = [], 0
    for name, dims in [("w1", [8, 1, 5, 5]), ("b1", [8, 1, 1]), ("w2", [16, 8, 5, 5]), ("b2", [16, 1, 1]),
                       ("w3", [256, 10]), ("b3", [1, 10])]:  # fmt: skip
        count = 1
        for dim in dims:
            count *= dim
        total += count
        tensors.append(small_tensor(name, FLOAT, dims, [dice.gauss(0, 0.1) for _ in range(count)]))
    same = {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2, 2, 2, 2]}
    nodes = [
        node("Conv", ["image", "w1"], ["c1"], "conv1", **same),
        node("Add", ["c1", "b1"], ["a1"], "add1"),
        node("Relu", ["a1"], ["r1"], "relu1"),
        node("MaxPool", ["r1"], ["p1"], "pool1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p1", "w2"], ["c2"], "conv2", **same),
        node("Add", ["c2", "b2"], ["a2"], "add2"),
        node("Relu", ["a2"], ["r2"], "relu2"),
        node("MaxPool", ["r2"], ["p2"], "pool2", kernel_shape=[3, 3], strides=[3, 3]),
        node("Reshape", ["p2", "flat"], ["f"], "flatten"),
        node("MatMul", ["f", "w3"], ["m"], "product"),
        node("Add", ["m", "b3"], ["scores"], "add3"),
    ]
    graph = [*nodes, text(2, "digits"), *tensors, small_tensor("flat", INT64, [2], [1, 256])]
    graph.append(value_info(11, "image", FLOAT, [1, 1, 28, 28]))
    graph.append(value_info(12, "scores", FLOAT, [1, 10]))
    write_model(path, graph)
    return total


def verify(folder):
    """Builds small variants of every kind and has the `onnx` package judge them. Raises where one is not valid."""
    import onnx
    import onnx.shape_inference

    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    size = {"layers": 2, "hidden": 32, "ffn": 88, "vocab": 100, "heads": 4}
    made = {
        "raw": transformer(folder / "raw.onnx", **size),
        "float_data": transformer(folder / "float_data.onnx", storage="float_data", **size),
        "external": transformer(folder / "external.onnx", storage="external", dtype=FLOAT16, **size),
        "chain": chain(folder / "chain.onnx", 1000),
        "digits": digits(folder / "digits.onnx"),
    }
    for name, parameters in made.items():
        path = folder / f"{name}.onnx"
        onnx.checker.check_model(str(path), full_check=True)
        model = onnx.load(path)
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        typed = {value.name for value in [*inferred.graph.value_info, *inferred.graph.output]}
        untyped = [output for item in model.graph.node for output in item.output if output not in typed]
        if untyped:
            raise ValueError(f"{name}: no type for {untyped[:3]}")
        stored = 0
        for tensor in model.graph.initializer:
            array = onnx.numpy_helper.to_array(tensor)
            if tensor.data_type != INT64 and tensor.name != "scale":
                stored += array.size
        if stored != parameters:
            raise ValueError(f"{name}: {stored} parameters stored, {parameters} expected")
        print(f"{name}: valid, {len(model.graph.node)} nodes, {stored} parameters, {path.stat().st_size} bytes")
