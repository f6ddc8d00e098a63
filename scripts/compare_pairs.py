"""Compares two small networks with what other tools make of them: quantized, optimized, simplified, converted,
pruned, extended and fine-tuned models. Prints a table and a score; fails if an answer is wrong.

    compare_pairs.py CALIPERS FOLDER
"""

import json
import logging
import pathlib
import subprocess
import sys
import time
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, version_converter

try:
    import onnxsim
except ImportError:
    onnxsim = None

calipers, folder = sys.argv[1], pathlib.Path(sys.argv[2])
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
random = np.random.default_rng(7)


class Builder:
    """A graph that grows node by node; a node's output has the node's name."""

    def __init__(self):
        self.nodes, self.tensors = [], []

    def op(self, kind, name, inputs, outputs=None, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, outputs or [name], name=name, **attributes))
        return (outputs or [name])[0]

    def tensor(self, name, values):
        self.tensors.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, name, *shape):
        fan_in = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
        return self.tensor(name, (random.standard_normal(shape) / np.sqrt(fan_in)).astype(np.float32))

    def model(self, inputs, outputs, opset=17):
        graph = helper.make_graph(self.nodes, "main", inputs, outputs, self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        onnx.checker.check_model(model)
        return model


def floats(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def conv_network(width=32):
    """Ten convolutions in pairs with residual connections, and a classifier. `width` is that of the pairs' insides."""
    b = Builder()

    def conv(name, x, i, o, stride=1):
        b.weight(f"{name}.weight", o, i, 3, 3)
        b.tensor(f"{name}.bias", np.zeros(o, np.float32))
        inputs = [x, f"{name}.weight", f"{name}.bias"]
        return b.op("Conv", name, inputs, kernel_shape=[3, 3], pads=[1] * 4, strides=[stride] * 2)

    x = b.op("Relu", "stem.relu", [conv("stem", "image", 3, 32, 2)])
    for block in range(4):
        y = b.op("Relu", f"block.{block}.relu", [conv(f"block.{block}.conv1", x, 32, width)])
        y = conv(f"block.{block}.conv2", y, width, 32)
        x = b.op("Relu", f"block.{block}.out", [b.op("Add", f"block.{block}.add", [y, x])])
    x = b.op("Relu", "head.relu", [conv("head", x, 32, 64, 2)])
    x = b.op("Flatten", "flatten", [b.op("GlobalAveragePool", "pool", [x])])
    b.weight("fc.weight", 64, 10)
    b.op("Gemm", "fc", [x, "fc.weight", b.tensor("fc.bias", np.zeros(10, np.float32))], ["scores"])
    return b.model([floats("image", "batch", 3, 32, 32)], [floats("scores", "batch", 10)])


def encoder(layers=3, width=64, heads=4):
    """A text encoder of a few layers."""
    b = Builder()
    b.tensor("split", np.array([0, 0, heads, width // heads], np.int64))
    b.tensor("join", np.array([0, 0, width], np.int64))
    b.tensor("root", np.array((width // heads) ** 0.5, np.float32))

    def linear(name, x, i, o):
        product = b.op("MatMul", f"{name}/MatMul", [x, b.weight(f"{name}.weight", i, o)])
        return b.op("Add", f"{name}/Add", [product, b.tensor(f"{name}.bias", np.zeros(o, np.float32))])

    def norm(name, x, outputs=None):
        b.tensor(f"{name}.scale", np.ones(width, np.float32))
        b.tensor(f"{name}.shift", np.zeros(width, np.float32))
        return b.op("LayerNormalization", name, [x, f"{name}.scale", f"{name}.shift"], outputs, axis=-1)

    def head(name, x, perm):
        parted = b.op("Reshape", f"{name}/Reshape", [linear(name, x, width, width), "split"])
        return b.op("Transpose", f"{name}/Transpose", [parted], perm=perm)

    x = b.op("Gather", "embed", [b.weight("words", 100, width), "ids"])
    for layer in range(layers):
        p = f"layer.{layer}"
        q, k = head(f"{p}/query", x, [0, 2, 1, 3]), head(f"{p}/key", x, [0, 2, 3, 1])
        v = head(f"{p}/value", x, [0, 2, 1, 3])
        s = b.op("Div", f"{p}/scale", [b.op("MatMul", f"{p}/scores", [q, k]), "root"])
        s = b.op("MatMul", f"{p}/mix", [b.op("Softmax", f"{p}/softmax", [s], axis=-1), v])
        s = b.op("Reshape", f"{p}/join", [b.op("Transpose", f"{p}/turn", [s], perm=[0, 2, 1, 3]), "join"])
        x = norm(f"{p}/norm1", b.op("Add", f"{p}/add1", [linear(f"{p}/dense", s, width, width), x]))
        y = b.op("Relu", f"{p}/relu", [linear(f"{p}/up", x, width, 4 * width)])
        y = b.op("Add", f"{p}/add2", [linear(f"{p}/down", y, 4 * width, width), x])
        x = norm(f"{p}/norm2", y, ["states"] if layer == layers - 1 else None)
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "sequence"])
    return b.model([ids], [floats("states", "batch", "sequence", width)])


def tensor_of(model, name):
    return next(tensor for tensor in model.graph.initializer if tensor.name == name)


def copied(model):
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    return copy


def variants():
    """Yields name, baseline, function that makes the variant, and what must hold.

    ONNX Runtime's quantizer folds every Relu into the range of its output, and adds operators of its own domain,
    which breaks callers that run another runtime.
    """
    import onnxruntime
    import onnxslim
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    global random
    random = np.random.default_rng(7)
    conv = conv_network()
    text = encoder()
    onnx.save(conv, folder / "conv.onnx")
    onnx.save(text, folder / "text.onnx")

    class Images(CalibrationDataReader):
        def __init__(self):
            draw = lambda: {"image": random.standard_normal((1, 3, 32, 32)).astype(np.float32)}
            self.left = iter([draw() for _ in range(4)])

        def get_next(self):
            return next(self.left, None)

    def quantized(form):
        return lambda path: quantize_static(folder / "conv.onnx", path, Images(), quant_format=form)

    def optimized(source, level):
        def make(path):
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = level
            options.optimized_model_filepath = str(path)
            options.log_severity_level = 4
            onnxruntime.InferenceSession(folder / source, options, providers=["CPUExecutionProvider"])

        return make

    def four_bits(path):
        quantizer = MatMulNBitsQuantizer(onnx.load(folder / "text.onnx"), block_size=32, is_symmetric=True)
        quantizer.process()
        quantizer.model.save_model_to_file(str(path))

    # Something to simplify: nodes without effect.
    wordy = copied(conv)
    for place in (5, 3):
        value = wordy.graph.node[place].input[0]
        wordy.graph.node[place].input[0] = f"same.{place}"
        wordy.graph.node.insert(place, helper.make_node("Identity", [value], [f"same.{place}"], name=f"same.{place}"))
    onnx.save(wordy, folder / "wordy.onnx")

    def slimmed(path):
        onnx.save(onnxslim.slim(copied(wordy)), path)

    def simplified(path):
        model, is_same = onnxsim.simplify(copied(wordy))
        assert is_same, "onnxsim changed what the network computes"
        onnx.save(model, path)

    def merged(path):
        model = copied(text)
        for layer in range(3):
            for part in ("query", "value"):
                tensor = tensor_of(model, f"layer.{layer}/{part}.weight")
                values = numpy_helper.to_array(tensor)
                update = random.standard_normal((64, 4)) @ random.standard_normal((4, 64))
                tensor.CopyFrom(numpy_helper.from_array((values + 0.002 * update).astype(np.float32), tensor.name))
        onnx.save(model, path)

    def tuned(path):
        model = copied(conv)
        for tensor in model.graph.initializer:
            values = numpy_helper.to_array(tensor)
            noise = 0.01 * (values.std() + 0.01) * random.standard_normal(values.shape)
            tensor.CopyFrom(numpy_helper.from_array((values + noise).astype(np.float32), tensor.name))
        onnx.save(model, path)

    def halved(path):
        model = copied(conv)
        for tensor in model.graph.initializer:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name))
        for port in [*model.graph.input, *model.graph.output]:
            port.type.tensor_type.elem_type = TensorProto.FLOAT16
        onnx.save(model, path)

    def pruned(path):
        onnx.save(sliced(conv, 24), path)

    def longer(path):
        global random
        random = np.random.default_rng(7)
        conv_network()
        onnx.save(encoder(4), path)

    def converted(path):
        onnx.save(version_converter.convert_version(conv, 21), path)

    level = onnxruntime.GraphOptimizationLevel
    any_word = lambda *words: (lambda said: any(word in said.lower() for word in words))
    yield "itself", "conv", lambda path: onnx.save(conv, path), dict(drop_in=True, unchanged=1.0, relation="identical")
    yield "QDQ", "conv", quantized(QuantFormat.QDQ), dict(drop_in=True, unchanged=0.6, relation="quantized", text=any_word("quantiz"))
    yield "QOperator", "conv", quantized(QuantFormat.QOperator), dict(drop_in=False, relation="quantized", text=any_word("quantiz", "qlinear"))
    yield "dynamic", "text", lambda path: quantize_dynamic(folder / "text.onnx", path), dict(drop_in=True, relation="quantized", text=any_word("quantiz"))
    yield "4-bit MatMulNBits", "text", four_bits, dict(relation="quantized", text=any_word("matmulnbits", "4-bit", "int4", "quantiz"))
    yield "optimized, basic", "conv", optimized("conv.onnx", level.ORT_ENABLE_BASIC), dict(drop_in=True, unchanged=0.8, relation="identical")
    yield "optimized, extended", "text", optimized("text.onnx", level.ORT_ENABLE_EXTENDED), dict(text=any_word("fus"))
    yield "optimized convolutions", "conv", optimized("conv.onnx", level.ORT_ENABLE_EXTENDED), dict(text=any_word("fus"))
    yield "simplified", "wordy", slimmed, dict(drop_in=True, unchanged=0.9, relation="identical", text=any_word("identity"), removed=2)
    if onnxsim:
        yield "simplified, onnxsim", "wordy", simplified, dict(drop_in=True, unchanged=0.9, relation="identical", text=any_word("identity"), removed=2)
    else:
        print(f"{'simplified, onnxsim':24} skipped, onnxsim is not published for this version of Python")
    yield "opset 21", "conv", converted, dict(drop_in=True, unchanged=0.95, relation="identical")
    yield "pruned", "conv", pruned, dict(drop_in=True, added=0, removed=0, changed=8, text=any_word("32", "24", "channel", "width", "shape"))
    yield "one layer more", "text", longer, dict(drop_in=True, added=29, removed=0, text=any_word("layer"))
    yield "LoRA merged", "text", merged, dict(drop_in=True, relation=("partly-changed", "fine-tuned"), text=any_word("weight"), added=0, removed=0, changed=6)
    yield "fine-tuned", "conv", tuned, dict(drop_in=True, relation="fine-tuned", text=any_word("weight"))
    yield "float16", "conv", halved, dict(drop_in=False, relation="rounded", text=any_word("float16"))


def sliced(model, width):
    """The network with fewer channels inside its residual pairs."""
    model = copied(model)
    for block in range(4):
        for name, cut in ((f"block.{block}.conv1.weight", np.s_[:width]), (f"block.{block}.conv1.bias", np.s_[:width]), (f"block.{block}.conv2.weight", np.s_[:, :width])):
            tensor = tensor_of(model, name)
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[cut].copy(), name))
    return model


# Operators that never become each other: one is computed before or after the other.
NEVER = {("Relu", "DequantizeLinear"), ("Relu", "FusedConv"), ("Gemm", "DequantizeLinear")}


def check(answer, wanted):
    """Yields what is wrong with an answer."""
    graph = answer["graph"]
    changed_a = [node["a"] for node in graph["changed"]]
    changed_b = [node["b"] for node in graph["changed"]]
    if set(changed_a) & {node["a"] for node in graph["removed"]} or set(changed_b) & {node["b"] for node in graph["added"]}:
        yield "a node is changed and removed or added"
    pairs = graph["unchanged"] + len(graph["changed"])
    if pairs + len(graph["removed"]) != answer["a"]["nodes"] or pairs + len(graph["added"]) != answer["b"]["nodes"]:
        yield "the nodes do not add up"
    for key, places in (("added", "added"), ("removed", "removed"), ("changed", "changed")):
        used = [place for group in graph["groups"] for place in group.get(places, [])]
        if sorted(used) != list(range(len(graph[key]))):
            yield f"{key}: {len(graph[key])} nodes, {len(used)} in groups"
    if "drop_in" in wanted and answer["interface"]["compatible"] != wanted["drop_in"]:
        details = [change["detail"] for change in answer["interface"]["changes"] if change["breaking"]]
        yield f"interface: {details}"
    # A quantized node keeps its place, whatever became of its weights.
    share = (graph["unchanged"] + sum(n["what"] in (["weights"], ["type"], ["shape"]) for n in graph["changed"])) / answer["a"]["nodes"]
    if share < wanted.get("unchanged", 0):
        yield f"only {share:.0%} of the nodes are unchanged"
    relation = wanted.get("relation", ())
    relation = (relation,) if isinstance(relation, str) else relation
    if relation and answer["weights"]["relation"] not in relation:
        yield f"weights are {answer['weights']['relation']}: {answer['weights']['why']}"
    for key in ("added", "removed", "changed"):
        if key in wanted and len(graph[key]) != wanted[key]:
            yield f"{len(graph[key])} nodes {key}, not {wanted[key]}"
    for node in graph["changed"]:
        if "op_b" in node and (node["op"], node["op_b"]) in NEVER:
            yield f"{node['op']} is matched with {node['op_b']}"
            break
    if "text" in wanted and not wanted["text"](" ".join(group["text"] for group in graph["groups"])):
        yield "the groups do not mention it"


def main():
    right = total = 0
    print(f"{'pair':24} {'time':>6}  {'+':>3} {'-':>3} {'~':>3} {'=':>3}  {'weights':14} groups")
    for name, baseline, make, wanted in variants():
        path = folder / f"{name.replace(' ', '-').replace(',', '')}.onnx"
        make(path)
        start = time.monotonic()
        command = [calipers, "compare", str(folder / f"{baseline}.onnx"), str(path), "--weights", "--format", "json"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        took = time.monotonic() - start
        total += 1
        if run.returncode != 0:
            print(f"{name:24} status {run.returncode}: {run.stderr.strip()}")
            continue
        answer = json.loads(run.stdout)
        graph = answer["graph"]
        texts = "; ".join(group["text"] for group in graph["groups"][:4])
        counts = " ".join(f"{n:3}" for n in (len(graph["added"]), len(graph["removed"]), len(graph["changed"]), graph["unchanged"]))
        print(f"{name:24} {took:5.1f}s  {counts}  {answer['weights']['relation']:14} {texts}")
        problems = list(check(answer, wanted)) + (["slower than 5 s"] if took > 5 else [])
        for problem in problems:
            print(f"{'':24} WRONG: {problem}")
        right += not problems
    print(f"score: compared pairs: {right} of {total}")
    return right < total


sys.exit(main())
