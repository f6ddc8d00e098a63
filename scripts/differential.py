"""Compares the shapes that Calipers infers with those of ONNX Runtime, for every value of every model given.

Usage: differential.py CALIPERS MODEL... Needs `onnx` and `onnxruntime`. Weights that are missing are made up, and so
are the inputs; free dimensions get small sizes. A model that does not run is named and left out. Ends with 1 when a
shape or type is wrong.
"""

import json
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

SIZES = [2, 7, 5, 6, 9, 11]  # of free dimensions, in the order in which their names are met
SPELT = {"float": "float32", "double": "float64"}  # where ONNX Runtime's names are not Calipers'


def made_up(dims, dtype, rng):
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (np.abs(rng.standard_normal(dims)) * 0.02 + 0.02).astype(dtype)
    return np.ones(dims, dtype) if dtype.kind in "bO" else rng.integers(0, 2, dims).astype(dtype)


def with_weights(path, rng):
    model = onnx.load(path, load_external_data=False)
    for tensor in model.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            dtype = helper.tensor_dtype_to_np_dtype(tensor.data_type)
            tensor.raw_data = made_up(list(tensor.dims), dtype, rng).tobytes()
            del tensor.external_data[:]
            tensor.data_location = TensorProto.DEFAULT
    return model


def feeds_of(model, rng):
    stored = {tensor.name for tensor in model.graph.initializer}
    sizes, feeds = {}, {}
    for value in model.graph.input:
        if value.name in stored:
            continue
        tensor, dims = value.type.tensor_type, []
        for axis, dim in enumerate(tensor.shape.dim):
            name = dim.dim_param or f"{value.name}/{axis}"
            fixed = dim.HasField("dim_value")
            dims.append(dim.dim_value if fixed else sizes.setdefault(name, SIZES[len(sizes) % len(SIZES)]))
        feeds[value.name] = np.asarray(made_up(dims, helper.tensor_dtype_to_np_dtype(tensor.elem_type), rng))
    return feeds


def seen(model, feeds):
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    reported = {value.name for value in whole.graph.output}
    names = [name for node in whole.graph.node for name in node.output if name and name not in reported]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    tensors = [value for value in session.get_outputs() if value.type.startswith("tensor(")]
    results = session.run([value.name for value in tensors], feeds)
    for value, result in zip(tensors, results, strict=True):
        dtype = value.type[len("tensor(") : -1]
        yield value.name, SPELT.get(dtype, dtype), list(result.shape)


def reported_by(calipers, model, feeds):
    del model.graph.value_info[:]
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        shape = lambda array: "x".join(map(str, array.shape)) or "scalar"
        bound = [f"--input={name}={shape(array)}" for name, array in feeds.items()]
        run = [calipers, "shapes", file.name, "--format=json", *bound]
        return json.loads(subprocess.run(run, check=True, capture_output=True).stdout)["values"]


def judge(value, dtype, dims):
    shape = (value or {}).get("shape")
    if value and value.get("dtype") not in (None, dtype):
        return "wrong"
    if shape is None:
        return "open"
    if len(shape) != len(dims) or any(isinstance(a, int) and a != b for a, b in zip(shape, dims)):
        return "wrong"
    return "exact" if shape == dims else "open"


def main(calipers, paths):
    count = {"exact": 0, "open": 0, "wrong": 0}
    for path in paths:
        rng = np.random.default_rng(0)
        try:
            model = with_weights(path, rng)
            feeds = feeds_of(model, rng)
            truth = list(seen(model, feeds))
        except Exception as error:  # noqa: BLE001  (whatever keeps it from running)
            print(f"{path}: not run: {str(error).splitlines()[0][:120]}")
            continue
        values = reported_by(calipers, model, feeds)
        for name, dtype, dims in truth:
            verdict = judge(values.get(name), dtype, dims)
            count[verdict] += 1
            if verdict != "exact":
                print(f"{path}: {verdict}: {name} is {dtype}{dims}, reported {values.get(name)}")
    print(count)
    return int(count["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
