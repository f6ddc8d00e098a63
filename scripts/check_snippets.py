"""Runs the program of each card with ONNX Runtime; run by scripts/snippets, which installs what it needs.

The program is taken out of the card as a reader would copy it, and runs in the folder of its model. It
must end without an error, and print every output with the type and shape that the report has for it.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Fixtures that carry their weights, and whose outputs are tensors, sequences and maps.
FIXTURES = ["isoforest", "logreg", "mlp", "rf_cls"]


def output_of(command, folder):
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return ended.returncode, ended.stdout, ended.stderr


def expected(report):
    """A line for each output that is a tensor of known shape: name, type and shape at the assumed sizes."""
    sizes = {name: size for name, size in report["bindings"].items() if isinstance(size, int)}
    for assumption in report["assumptions"]:
        kind, _, name = assumption["what"].partition(" ")
        if kind == "dimension":
            sizes[name] = int(assumption["value"])
    lines = {}
    for output in report["graph"]["outputs"]:
        shape = output.get("inferred") or output["shape"]
        if output["kind"] != "tensor" or shape is None:
            continue
        shape = [sizes.get(dim, dim) for dim in shape]
        if all(isinstance(dim, int) for dim in shape):
            lines[output["name"]] = (output["dtype"], tuple(shape))
    return lines


def check(calipers, model):
    """What is wrong with the program of a model's card, and how many outputs were compared."""
    card = [calipers, "card", model, "--no-date", "-o", "-"]
    status, text, error = output_of(card, model.parent)
    if status != 0:
        return f"no card: {error}", 0
    program = re.search(r"^## How to use\n.*?^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if program is None:
        return "the card has no program", 0
    status, printed, error = output_of([sys.executable, "-c", program[1]], model.parent)
    if status != 0:
        return f"the program failed: {error.strip().splitlines()[-1]}", 0
    status, text, error = output_of([calipers, "inspect", model, "--format", "json"], model.parent)
    wanted = expected(json.loads(text))
    for name, (dtype, shape) in wanted.items():
        # With outputs that are no tensors, the program prints the types of ONNX.
        numpy, onnx = {"string": "object"}.get(dtype, dtype), {"float32": "float"}.get(dtype, dtype)
        lines = [f"{name} {numpy} {shape}", f"{name} tensor({onnx}) {shape}"]
        if not any(line in printed.splitlines() for line in lines):
            return f"{lines[0]!r} is not in {printed!r}", len(wanted)
    return None, len(wanted)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--models", type=Path, required=True)
    arguments = parser.parse_args()
    models = sorted(arguments.models.glob("*.onnx"))
    models += [ROOT / f"tests/fixtures/zoo/{name}.onnx" for name in FIXTURES]
    failed, outputs = 0, 0
    for model in models:
        fault, compared = check(arguments.calipers.resolve(), model)
        outputs += compared
        if fault:
            failed += 1
            print(f"{model.stem}: {fault}"[:600])
    print(f"score: programs of cards run by ONNX Runtime: {len(models) - failed} of {len(models)} ({outputs} outputs as reported)")
    return 1 if failed or len(models) < 3 or outputs < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
