"""Tokens of the weights of an ONNX file, in order of execution.

See `tokens.py` for the letters. A weight is found behind casts, transpositions, reshapes and
dequantization, inside subgraphs and inside the bodies of functions.
"""

import math

import numpy
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper

from tokens import token

# Operators and the position of their weight.
CONVOLUTIONS = {"Conv": 1, "ConvInteger": 1, "FusedConv": 1, "NhwcConv": 1, "QLinearConv": 3}
PRODUCTS = {
    "MatMul": (0, 1), "FusedMatMul": (0, 1), "MatMulInteger": (0, 1), "MatMulIntegerToFloat": (0, 1),
    "DynamicQuantizeMatMul": (0, 1), "QLinearMatMul": (0, 3), "Gemm": (0, 1), "FusedGemm": (0, 1),
    "QGemm": (0, 3),
}
ATTENTIONS = {"Attention", "QAttention"}
RECURRENT = {"LSTM", "GRU", "RNN", "DynamicQuantizeLSTM"}
ELEMENTWISE = {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Where", "PRelu", "LayerNormalization"}
PASSING = {"Identity", "Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "Quant", "Dropout"}
UNARY = {"Sqrt", "Abs", "Neg", "Exp", "Reciprocal"}
SMALL = 64


class Value:
    """A constant: its name, its dimensions, its type, and its integers if they are few."""

    def __init__(self, name, dims, kind, integers=None):
        self.name = name
        self.dims = list(dims)
        self.kind = kind
        self.integers = integers

    def with_dims(self, dims):
        return Value(self.name, dims, self.kind)

    def wide(self):
        """Whether at least two dimensions are above 1."""
        return sum(d > 1 for d in self.dims) >= 2

    def grid(self):
        """Whether this looks like anchors or coordinates: they follow the size of the input."""
        return len(self.dims) > 4 or self.dims[-1] in (2, 4)

    def real(self):
        return self.kind not in (TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL, TensorProto.STRING)


def attribute(node, name, default=None):
    for item in node.attribute:
        if item.name == name:
            return onnx.helper.get_attribute_value(item)
    return default


def from_tensor(tensor, name):
    integers = None
    small = math.prod(tensor.dims) <= SMALL and tensor.data_location != TensorProto.EXTERNAL
    if small and tensor.data_type in (TensorProto.INT64, TensorProto.INT32):
        integers = [int(i) for i in numpy_helper.to_array(tensor).ravel()]
    return Value(name, tensor.dims, tensor.data_type, integers)


def from_constant(node):
    for item in node.attribute:
        if item.name in ("value", "sparse_value") and item.type == AttributeProto.TENSOR:
            return from_tensor(item.t, node.output[0])
        if item.name in ("value_int", "value_ints"):
            found = numpy.array(onnx.helper.get_attribute_value(item))
            return Value(node.output[0], found.shape, TensorProto.INT64, [int(i) for i in found.ravel()])
        if item.name in ("value_float", "value_floats"):
            found = numpy.array(onnx.helper.get_attribute_value(item))
            return Value(node.output[0], found.shape, TensorProto.FLOAT)
    return None


def carried(node, body, inputs):
    """Returns the constants that a loop hands to its body and never changes."""
    if node.op_type == "Loop":
        pairs = zip(body.input[2:], inputs[2:], body.output[1:])
    elif node.op_type == "Scan":
        states = len(inputs) - attribute(node, "num_scan_inputs")
        pairs = zip(body.input[:states], inputs, body.output)
    else:
        return {}
    copies = {n.output[0]: n.input[0] for n in body.node if n.op_type == "Identity"}
    found = {}
    for entry, value, leaving in pairs:
        name = leaving.name
        while name in copies:
            name = copies[name]
        if value and name == entry.name:
            found[entry.name] = value
    return found


class Reader:
    """Walks the graphs of a model and collects tokens."""

    def __init__(self, model):
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.tokens = []
        self.tables = set()
        self.graph(model.graph, {})

    def graph(self, graph, outer):
        known = dict(outer)
        for tensor in graph.initializer:
            known[tensor.name] = from_tensor(tensor, tensor.name)
        for sparse in graph.sparse_initializer:
            name = sparse.values.name
            known[name] = Value(name, sparse.dims, sparse.values.data_type)
        self.nodes(graph.node, known)

    def nodes(self, nodes, known):
        for node in nodes:
            self.node(node, [known.get(name) if name else None for name in node.input], known)

    def node(self, node, inputs, known):
        for item in node.attribute:
            if item.type == AttributeProto.GRAPH:
                self.graph(item.g, {**known, **carried(node, item.g, inputs)})
        function = self.functions.get((node.domain, node.op_type))
        if function:
            inner = {name: value for name, value in zip(function.input, inputs) if value}
            self.nodes(function.node, inner)
            return
        constant = self.folded(node, inputs)
        if constant:
            known[node.output[0]] = constant
            return
        self.weights(node, inputs)

    def folded(self, node, inputs):
        """Returns the constant that a node makes of constants."""
        op = node.op_type
        if op == "Constant":
            return from_constant(node)
        first = inputs[0] if inputs else None
        if first is None:
            return None
        if op in PASSING:
            return Value(first.name, first.dims, first.kind, first.integers)
        rank = len(first.dims)
        if op == "Transpose":
            order = attribute(node, "perm", list(range(rank))[::-1])
            return first.with_dims([first.dims[i] for i in order])
        if op in ("Squeeze", "Unsqueeze"):
            return self.squeezed(node, inputs)
        if any(value is None for name, value in zip(node.input, inputs) if name):
            return None
        if op == "Reshape" and inputs[1].integers is not None:
            shape = [first.dims[i] if d == 0 and i < rank else d for i, d in enumerate(inputs[1].integers)]
            if -1 in shape:
                rest = math.prod(d for d in shape if d != -1)
                shape[shape.index(-1)] = math.prod(first.dims) // max(rest, 1)
            return first.with_dims(shape)
        if op in ("Add", "Sub", "Mul", "Div", "Pow"):
            largest = max(inputs, key=lambda value: math.prod(value.dims))
            return largest.with_dims(numpy.broadcast_shapes(*(tuple(v.dims) for v in inputs)))
        if op in UNARY:
            return first.with_dims(first.dims)
        if op.startswith("Reduce"):
            return self.reduced(node, inputs)
        if op == "Slice":
            return self.sliced(first, *inputs[1:])
        if op == "Concat":
            axis = attribute(node, "axis", 0)
            dims = list(first.dims)
            dims[axis] = sum(value.dims[axis] for value in inputs)
            return first.with_dims(dims)
        return None

    @staticmethod
    def reduced(node, inputs):
        """Returns the sum of a constant over axes: a part of weight normalization."""
        first = inputs[0]
        axes = attribute(node, "axes") or (inputs[1].integers if len(inputs) > 1 else None)
        if not axes or not attribute(node, "keepdims", 1):
            return None
        chosen = {axis % len(first.dims) for axis in axes}
        return first.with_dims([1 if i in chosen else d for i, d in enumerate(first.dims)])

    @staticmethod
    def sliced(first, starts=None, ends=None, axes=None, steps=None):
        if not starts or not ends or starts.integers is None or ends.integers is None:
            return None
        dims = list(first.dims)
        chosen = axes.integers if axes else range(len(starts.integers))
        strides = steps.integers if steps else [1] * len(starts.integers)
        for axis, start, end, step in zip(chosen, starts.integers, ends.integers, strides):
            dims[axis] = len(range(*slice(start, end, step).indices(dims[axis])))
        return first.with_dims(dims)

    @staticmethod
    def squeezed(node, inputs):
        first = inputs[0]
        axes = attribute(node, "axes")
        if axes is None and len(inputs) > 1:
            axes = inputs[1].integers if inputs[1] else None
        if node.op_type == "Squeeze":
            rank = len(first.dims)
            chosen = {a % rank for a in axes} if axes else {i for i, d in enumerate(first.dims) if d == 1}
            return first.with_dims([d for i, d in enumerate(first.dims) if i not in chosen])
        if axes is None:
            return None
        rank = len(first.dims) + len(axes)
        chosen = {a % rank for a in axes}
        rest = iter(first.dims)
        return first.with_dims([1 if i in chosen else next(rest) for i in range(rank)])

    def weights(self, node, inputs):
        """Adds the tokens of one node."""
        op = node.op_type
        at = lambda index: inputs[index] if index < len(inputs) else None
        if op in CONVOLUTIONS:
            self.add("c", at(CONVOLUTIONS[op]), groups=attribute(node, "group", 1))
        elif op == "ConvTranspose":
            self.add("t", at(1), groups=attribute(node, "group", 1))
        elif op in PRODUCTS:
            left, right = PRODUCTS[op]
            self.product(node, at(left), at(right))
        elif op == "MatMulNBits":
            self.tokens.append(token("l", [attribute(node, "N"), attribute(node, "K")]))
        elif op in ATTENTIONS and at(1):
            self.product(node, None, at(1))
        elif op in RECURRENT and at(1) and at(2):
            turned = op == "DynamicQuantizeLSTM"
            for _ in range(at(1).dims[0]):
                for value in (at(1), at(2)):
                    dims = value.dims[1:]
                    self.tokens.append(token("r", dims[::-1] if turned else dims))
        elif op in ("Gather", "GatherBlockQuantized") and at(0):
            self.table(at(0))
        elif op == "EmbedLayerNormalization":
            for value in (at(2), at(3), at(4)):
                self.table(value)
        elif op in ELEMENTWISE:
            for value in inputs:
                if value and value.wide() and value.real() and not value.grid():
                    self.add("p", value)

    def product(self, node, left, right):
        """Adds a linear layer, out x in."""
        if right and len(right.dims) >= 2:
            turned = attribute(node, "transB", 0)
            value, swap = right, not turned
        elif left and left.wide():
            value, swap = left, bool(attribute(node, "transA", 0))
        else:
            return
        dims = list(value.dims)
        while len(dims) > 2 and dims[0] == 1:
            dims = dims[1:]
        if swap:
            dims[-2:] = dims[:-3:-1]
        self.add("l", value.with_dims(dims))

    def table(self, value):
        if value and len(value.dims) == 2 and value.wide() and value.real() and value.name not in self.tables:
            self.tables.add(value.name)
            self.add("e", value)

    def add(self, letter, value, groups=1):
        if value and len(value.dims) >= 2:
            self.tokens.append(token(letter, value.dims, groups))


def weights(model):
    """Returns the tokens of a model."""
    return Reader(model).tokens
