"""The baseline: Python's `onnx` reads one model and counts nodes, operators and parameters.

Usage: bench_onnx.py MODEL RESULT [infer]. Writes its counts and times to RESULT as JSON. With `infer` it also infers
the shapes, values of shape arithmetic included.
"""

import json
import sys
import time

began = time.perf_counter()
import onnx  # importing it is part of what is timed
import onnx.shape_inference

imported = time.perf_counter()
try:
    model = onnx.load(sys.argv[1], load_external_data=False)
    if sys.argv[3:] == ["infer"]:
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    operators = {}
    for node in model.graph.node:
        operators[node.op_type] = operators.get(node.op_type, 0) + 1
    parameters = 0
    for tensor in model.graph.initializer:
        count = 1
        for dim in tensor.dims:
            count *= dim
        parameters += count
    answer = {"nodes": len(model.graph.node), "operators": len(operators), "parameters": parameters}
except Exception as error:  # noqa: BLE001  (whatever it is, it is the result)
    answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
done = time.perf_counter()
with open(sys.argv[2], "w") as out:
    json.dump({**answer, "import_ms": (imported - began) * 1e3, "load_ms": (done - imported) * 1e3}, out)
