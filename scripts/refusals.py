"""Checks that ONNX Runtime refuses a model for every error rule.

Standard input is the list of error rules; the folder holds their models as RULE/model.onnx and RULE-CASE/model.onnx.
Called by scripts/refusals.
"""

import json
import pathlib
import subprocess
import sys

import numpy
import onnxruntime

# Errors for another reason than a refusal: a release that accepts the file is not a contradiction.
UNSAFE = {
    "external-data-refused": "the path leads out of the model's folder; releases without a path check read the file",
    "tensor-size": "readers that multiply the dimensions without an overflow check access memory out of bounds",
}

# A model without a problem, which must pass: a session that refuses everything would prove nothing.
TYPES = {"tensor(float)": numpy.float32, "tensor(float16)": numpy.float16}


def refusal(model):
    """The message with which ONNX Runtime refuses to load or run a model; None if it runs."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        feeds = {
            port.name: numpy.ones([size if isinstance(size, int) else 1 for size in port.shape], TYPES[port.type])
            for port in session.get_inputs()
        }
        session.run(None, feeds)
    except Exception as error:  # its exceptions share no base class
        return " ".join(str(error).split())
    return None


def severities(calipers, model):
    """The severity of each finding of a model."""
    run = subprocess.run([calipers, "check", str(model), "--format", "json"], capture_output=True, check=True)
    return {finding["id"]: finding["severity"] for finding in json.loads(run.stdout)["findings"]}


def control(folder):
    """Whether ONNX Runtime runs a valid model."""
    import onnx  # only needed here

    port = lambda name: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "valid", [port("x")], [port("y")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "valid.onnx"
    onnx.save(model, path)
    return refusal(path) is None


def main():
    calipers, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rules = sys.stdin.read().split()
    assert control(folder), "ONNX Runtime refuses a valid model"
    failures, refused, unsafe = [], 0, 0
    for rule in rules:
        models = sorted(folder.glob(f"{rule}/model.onnx")) + sorted(folder.glob(f"{rule}-*/model.onnx"))
        # A longer id may share the prefix.
        others = [other for other in rules if other != rule and other.startswith(rule)]
        models = [model for model in models if not any(model.parent.name.startswith(other) for other in others)]
        if not models:
            failures.append(f"{rule}: no model")
        before = len(failures)
        for model in models:
            found = severities(calipers, model).get(rule)
            if found != "error":
                failures.append(f"{rule}: {model.parent.name} is reported as {found}, not as an error")
            message = refusal(model)
            if message is None and rule not in UNSAFE:
                failures.append(f"{rule}: ONNX Runtime accepts {model.parent.name}")
            reason = UNSAFE.get(rule)
            print(f"{model.parent.name}: {f'unsafe: {reason}; ' if reason else ''}{(message or 'accepted').split('failed:')[-1][:110]}")
        if len(failures) == before:
            refused += 1
            unsafe += rule in UNSAFE
    for failure in failures:
        print(f"FAILED {failure}")
    print(f"score: {refused} of {len(rules)} error rules refused by ONNX Runtime {onnxruntime.__version__} ({unsafe} also unsafe)")
    sys.exit(bool(failures) or not rules)


if __name__ == "__main__":
    main()
