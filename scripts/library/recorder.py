"""Reads the weights of a PyTorch module, in the order in which a forward pass uses them."""

import contextlib
import signal

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from tokens import token

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
LINEAR_FUNCTIONS = {"linear"}
VALUES = {"item": 1, "__bool__": False, "__int__": 1, "__float__": 1.0, "__index__": 1, "tolist": None}
SHAPE_PRESERVING = {
    "batch_norm", "layer_norm", "group_norm", "instance_norm", "rms_norm", "relu", "relu_", "gelu",
    "silu", "silu_", "hardswish", "hardswish_", "hardsigmoid", "hardsigmoid_", "sigmoid", "softmax",
    "tanh", "dropout", "leaky_relu", "leaky_relu_", "elu", "mish", "relu6", "hardtanh", "hardtanh_",
}


class UsageRecorder(TorchFunctionMode):
    """Records the parameters in the order in which tensor functions first read them."""

    def __init__(self, model):
        super().__init__()
        self.names = {}
        for name, parameter in model.named_parameters():
            self.names.setdefault(id(parameter), name)
        self.used = {}
        self.linear = set()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        known, value = _assumed_value(func, args)
        if known:
            return value
        result = _quick_result(func, args, kwargs)
        if result is None:
            result = func(*args, **kwargs)
        flat = list(args) + list(kwargs.values())
        for value in flat:
            if isinstance(value, (list, tuple)):
                flat.extend(v for v in value if isinstance(v, torch.Tensor))
        for value in flat:
            if not isinstance(value, torch.Tensor) or id(value) not in self.names:
                continue
            if result is value or not _has_tensor(result):
                continue
            name = self.names[id(value)]
            self.used.setdefault(name, len(self.used))
            if getattr(func, "__name__", "") in LINEAR_FUNCTIONS:
                self.linear.add(name)
        return result


class AssumedValues(TorchFunctionMode):
    """Answers questions about the values of meta tensors, so that control flow goes on."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        known, value = _assumed_value(func, args)
        if known:
            return value
        result = _quick_result(func, args, kwargs or {})
        return func(*args, **(kwargs or {})) if result is None else result


def _assumed_value(func, args):
    """Returns (True, value) where a function reads the value of a meta tensor."""
    first = args[0] if args else None
    name = getattr(func, "__name__", "")
    if name not in VALUES or not isinstance(first, torch.Tensor) or not first.is_meta:
        return False, None
    if name == "tolist":
        return True, torch.ones(first.shape, dtype=first.dtype, device="cpu").tolist()
    return True, VALUES[name]


def _quick_result(func, args, kwargs):
    """Returns the result of a function on the meta device, or None if its own rule is needed.

    PyTorch derives the shapes of norms and activations through long decompositions.
    """
    first = args[0] if args else None
    if not isinstance(first, torch.Tensor) or not first.is_meta or isinstance(first, nn.Parameter):
        return None
    name = getattr(func, "__name__", "")
    if name in SHAPE_PRESERVING and first.is_floating_point():
        return first
    if name == "linear" and len(args) >= 2 and first.shape[-1] == args[1].shape[-1]:
        return first.new_empty(*first.shape[:-1], args[1].shape[0])
    if name == "conv2d" and len(args) == 7 and first.dim() == 4:
        return _convolved(first, *args[1:])
    return None


def _convolved(image, weight, _bias, stride, padding, dilation, _groups):
    if isinstance(padding, str):
        return None
    stride, padding, dilation = ((v, v) if isinstance(v, int) else tuple(v) * (2 // len(v))
                                 for v in (stride, padding, dilation))
    sides = [(side + 2 * p - d * (k - 1) - 1) // s + 1 for side, p, d, k, s in
             zip(image.shape[2:], padding, dilation, weight.shape[2:], stride)]
    return None if min(sides) < 1 else image.new_empty(image.shape[0], weight.shape[0], *sides)


def _has_tensor(value):
    if isinstance(value, torch.Tensor):
        return True
    return isinstance(value, (list, tuple)) and any(isinstance(v, torch.Tensor) for v in value)


def _owners(model):
    """Returns the module that holds each parameter, by the parameter's name."""
    modules = dict(model.named_modules())
    owners = {}
    for name, _ in model.named_parameters():
        path, _, leaf = name.rpartition(".")
        # A parametrized weight (weight norm) belongs to the layer around the parametrization.
        if ".parametrizations." in f".{path}":
            outer = f".{path}".split(".parametrizations.")[0].lstrip(".")
            owners[name] = (modules[outer], "weight")
        else:
            owners[name] = (modules[path], leaf)
    return owners


def parameter_token(module, leaf, parameter, used_by_linear=False):
    """Returns the token of one parameter, or None if it is too small to describe a layer."""
    dims = list(parameter.shape)
    if len(dims) < 2:
        return None
    weight = leaf in ("weight", "weight_v", "weight_orig")
    if weight and isinstance(module, CONVOLUTIONS) and len(dims) == len(module.kernel_size) + 2:
        return None if _is_weight_norm_scale(module, dims) else token("c", dims, module.groups)
    if weight and isinstance(module, TRANSPOSED) and len(dims) == len(module.kernel_size) + 2:
        return None if _is_weight_norm_scale(module, dims) else token("t", dims, module.groups)
    if weight and isinstance(module, nn.Linear) and len(dims) == 2:
        if dims[1] == 1 and module.in_features != 1:
            return None
        return token("l", dims)
    if weight and isinstance(module, nn.Embedding):
        return token("e", dims)
    if isinstance(module, (nn.RNNBase, nn.RNNCellBase)) and leaf.startswith("weight"):
        return token("r", dims)
    if isinstance(module, nn.MultiheadAttention) and leaf.endswith("proj_weight"):
        return token("l", dims)
    if weight and type(module).__name__ == "Conv1D" and len(dims) == 2:
        return token("l", reversed(dims))
    if sum(d > 1 for d in dims) < 2:
        return None
    if len(dims) == 2 and used_by_linear:
        return token("l", dims)
    # Modules that subclass nothing but hold an embedding table, such as sinusoidal positions.
    if weight and len(dims) == 2 and type(module).__name__.endswith("Embedding"):
        return token("e", dims)
    return token("p", dims)


def _is_weight_norm_scale(module, dims):
    """Returns whether the parameter is the magnitude of a weight norm, not the weight."""
    first = module.in_channels if isinstance(module, TRANSPOSED) else module.out_channels
    return sum(d > 1 for d in dims) <= 1 and (dims[0] != first or
                                              tuple(dims[2:]) != tuple(module.kernel_size) or
                                              dims[1] != _inner(module))


def _inner(module):
    inner = module.out_channels if isinstance(module, TRANSPOSED) else module.in_channels
    return inner // module.groups


def weights_of(model, *runs, keep=None):
    """Returns (tokens, order, error) of a module: order is `run`, `part` or `definition`.

    Each run receives the model and calls it; the first one that succeeds decides, else the one
    that reaches the most parameters. Parameters that it does not reach follow in the order of
    definition. `keep` selects parameters.
    """
    model.eval()
    best = UsageRecorder(model)
    order, error = "definition", None
    for run in runs:
        recorder = UsageRecorder(model)
        try:
            with torch.no_grad(), recorder, time_limit(90):
                run(model)
            best, order, error = recorder, "run", None
            break
        except Exception as failure:  # Data-dependent steps do not work on the meta device.
            error = error or f"{type(failure).__name__}: {str(failure)[:160]}"
            if len(recorder.used) > len(best.used):
                best, order = recorder, "part"
    owners = _owners(model)
    parameters = dict(model.named_parameters())
    names = sorted(best.used, key=best.used.get)
    names += [name for name in parameters if name not in best.used]
    result = []
    for name in names:
        if keep and not keep(parameters[name]):
            continue
        module, leaf = owners[name]
        text = parameter_token(module, leaf, parameters[name], name in best.linear)
        if text:
            result.append(text)
    return result, order, error


@contextlib.contextmanager
def time_limit(seconds):
    """Raises TimeoutError if the block takes longer."""
    def stop(*_):
        raise TimeoutError("the forward pass takes too long")
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def on_meta(assume=False):
    """Builds modules without memory and without initial values for their weights.

    With `assume`, questions about values get an answer; use it only where no shape depends on one.
    """
    kept = {name: getattr(nn.init, name) for name in dir(nn.init)
            if name.endswith("_") and not name.startswith("_")}
    for name in kept:
        setattr(nn.init, name, lambda tensor, *_, **__: tensor)
    try:
        with AssumedValues() if assume else contextlib.nullcontext(), torch.device("meta"):
            yield
    finally:
        for name, function in kept.items():
            setattr(nn.init, name, function)
