"""Writes the ONNX standard's own operator cases, as Python's onnx carries them, for our suite.

OUT/asis/NAME.onnx   the case without the types of its outputs and of the values inside
OUT/const/NAME.onnx  the same with its small inputs as initializers, the way exporters write them
OUT/expected.json    what each case really gives: kind, ONNX data type and shape of every output
"""

import argparse
import json
import pathlib
import shutil
import sys
import warnings

import numpy as np
import onnx
import onnx.backend.test
import onnx.backend.test.loader
from onnx import numpy_helper

# An input becomes an initializer up to this rank and number of elements, when it has such a type.
SMALL_RANK = 1
SMALL_ELEMENTS = 64
SMALL_DTYPES = {
    onnx.TensorProto.BOOL,
    onnx.TensorProto.DOUBLE,
    onnx.TensorProto.FLOAT,
    onnx.TensorProto.INT32,
    onnx.TensorProto.INT64,
    onnx.TensorProto.UINT8,
}

DATA = pathlib.Path(onnx.backend.test.__file__).parent / "data"
MESSAGES = {
    "tensor_type": onnx.TensorProto,
    "sparse_tensor_type": onnx.SparseTensorProto,
    "sequence_type": onnx.SequenceProto,
    "optional_type": onnx.OptionalProto,
}


def node_cases():
    """Cases of single operators: (kind, name, model, inputs, outputs), values as arrays."""
    if (DATA / "node").is_dir():  # where older packages keep them
        yield from stored_cases("node")
        return
    for case in onnx.backend.test.loader.load_model_tests(kind="node"):
        inputs, outputs = case.data_sets[0]
        yield "node", case.name, case.model, inputs, outputs


def stored_cases(kind):
    """Cases that are folders with a model and its values as files."""
    for folder in sorted((DATA / kind).glob("test_*")):
        model = onnx.load(folder / "model.onnx")
        data = folder / "test_data_set_0"
        inputs = [stored(data / f"input_{i}.pb", value) for i, value in enumerate(model.graph.input)]
        outputs = [stored(data / f"output_{i}.pb", value) for i, value in enumerate(model.graph.output)]
        name = folder.name if kind == "node" else f"{kind}__{folder.name}"
        yield kind, name, model, inputs, outputs


def light_cases():
    """Whole networks whose weights are made by `ConstantOfShape`; they need no inputs here."""
    for path in sorted((DATA / "light").glob("*.onnx")):
        model = onnx.load(path)
        output = stored(path.with_name(f"{path.stem}_output_0.pb"), model.graph.output[0])
        yield "light", f"light__{path.stem}", model, [], [output]


def stored(path, value):
    """The message in a file, of the type the graph declares; `None` when there is no file."""
    if not path.is_file():
        return None
    message = MESSAGES[value.type.WhichOneof("value")]()
    message.ParseFromString(path.read_bytes())
    return message


def described(declared, value):
    """Kind, data type and shape of a value the graph declares."""
    if declared.type.HasField("optional_type"):
        return {"kind": "optional", "dtype": None, "shape": None}
    if isinstance(value, onnx.SequenceProto):
        value = numpy_helper.to_list(value)
    if isinstance(value, (list, tuple)):
        dtype = tensor_type(value[0])[0] if value else None
        return {"kind": "sequence", "dtype": dtype, "shape": None}
    dtype, shape = tensor_type(value)
    return {"kind": "tensor", "dtype": dtype, "shape": shape}


def tensor_type(value):
    """Data type, as ONNX numbers it, and shape of a tensor."""
    if isinstance(value, onnx.TensorProto):
        return value.data_type, list(value.dims)
    array = np.asarray(value)
    return onnx.helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape)


def expectation(kind, model, outputs):
    """The entry of a case in `expected.json`."""
    graph = model.graph
    described_outputs = [
        {**described(declared, value), "name": declared.name}
        for declared, value in zip(graph.output, outputs, strict=True)
    ]
    return {
        "kind": kind,
        "ops": sorted({node.op_type for node in graph.node}),
        "n_nodes": len(graph.node),
        "n_functions": len(model.functions),
        "outputs": described_outputs,
        "opset": {opset.domain or "ai.onnx": opset.version for opset in model.opset_import},
    }


def stripped(model):
    """A copy without the types of outputs and inner values."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.value_info[:]
    for output in copy.graph.output:
        output.ClearField("type")
    return copy


def with_constants(model, inputs):
    """A copy in which small inputs are initializers."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    kept = []
    for declared, value in zip(copy.graph.input, inputs):
        tensor = small(declared, value)
        if tensor is None:
            kept.append(declared)
        else:
            copy.graph.initializer.append(tensor)
    kept.extend(copy.graph.input[len(inputs):])
    kept = [onnx.ValueInfoProto.FromString(value.SerializeToString()) for value in kept]
    del copy.graph.input[:]
    copy.graph.input.extend(kept)
    return copy


def small(declared, value):
    """A small input as an initializer of its name, or `None`."""
    if not declared.type.HasField("tensor_type") or value is None:
        return None
    dtype, shape = tensor_type(value)
    if dtype not in SMALL_DTYPES or len(shape) > SMALL_RANK or np.prod(shape) > SMALL_ELEMENTS:
        return None
    array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    return numpy_helper.from_array(array, declared.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="the folder to write")
    out = parser.parse_args().out
    warnings.simplefilter("ignore")
    for mode in ("asis", "const"):
        shutil.rmtree(out / mode, ignore_errors=True)
        (out / mode).mkdir(parents=True)

    sources = [node_cases()]
    sources += [stored_cases(kind) for kind in ("pytorch-converted", "pytorch-operator", "simple")]
    sources.append(light_cases())
    expected = {}
    for kind, name, model, inputs, outputs in (case for source in sources for case in source):
        if any(value is None for value in outputs):
            print(f"left out {name}: the package has no outputs of it", file=sys.stderr)
            continue
        expected[name] = expectation(kind, model, outputs)
        plain = stripped(model)
        (out / "asis" / f"{name}.onnx").write_bytes(plain.SerializeToString())
        (out / "const" / f"{name}.onnx").write_bytes(with_constants(plain, inputs).SerializeToString())
    (out / "expected.json").write_text(json.dumps(expected, indent=0))
    print(f"{len(expected)} cases of onnx {onnx.__version__} in {out}")


if __name__ == "__main__":
    main()
