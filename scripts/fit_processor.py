"""Fits the timing constants of a processor on measured kernels and models. scripts/fit-processor runs it.

The model is that of crates/calipers-perf/src/processor/timing.rs. Constants are fitted together on kernels that were
measured alone, on whole models and on the shares of operators in them, in logarithms of time, and pulled to their start."""
import argparse
import csv
import os
import re
import subprocess
import sys

import numpy as np
from scipy.optimize import least_squares

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MEASURED = f"{ROOT}/crates/calipers-perf/devices/measured"
OUT = f"{ROOT}/crates/calipers-perf/devices/processors.toml"

FIELDS = ("gmacs", "element_ns", "half_rows", "half_depth", "serial")
# Start of the constants of each kind: GMAC/s, ns per element, rows and products per result at half the rate, serial
# share. Signed 8-bit products start at four times the rate of floats, which is what VNNI computes; unsigned ones at the
# rate of floats.
KINDS = {
    "Gemm": (52, 0, 4, 24, 0.03), "Batched": (55, 0, 4, 24, 0.04), "MaskedBatched": (3, 0, 0, 0, 0.04), "GemmInt8": (200, 0.5, 1, 0, 0.03), "GemmUint8": (60, 0.5, 1, 0, 0.03),
    "Conv": (55, 0, 0, 8, 0.04), "Pointwise": (45, 0, 0, 8, 0.04), "Stem": (45, 0, 0, 0, 0.06), "Depthwise": (25, 0.5, 0, 0, 0.06),
    "Im2col": (50, 0.2, 12, 16, 0.05), "ConvInt8": (200, 0.5, 0, 0, 0.05), "ConvUint8": (60, 0.5, 0, 0, 0.05),
    "DepthwiseInt8": (8, 0.5, 0, 0, 0.05), "ConvInteger": (50, 0.5, 0, 0, 0.05),
    "Elementwise": (0, 0.1, 0, 0, 0.03), "Transcendental": (0, 0.5, 0, 0, 0.04), "Gelu": (0, 1.0, 0, 0, 0.04),
    "BiasGelu": (0, 2.0, 0, 0, 0.04), "Quantize": (0, 0.7, 0, 0, 0.1), "Dequantize": (0, 0.7, 0, 0, 0.9),
    "Softmax": (0, 0.4, 0, 0, 0.04), "MaskedSoftmax": (0, 3.0, 0, 0, 0.04), "SoftmaxInt8": (0, 3.0, 0, 0, 0.04), "LayerNorm": (0, 0.7, 0, 0, 0.06), "LocalResponse": (0, 25, 0, 0, 0.05),
    "Reduce": (0, 0.2, 0, 0, 0.06), "Pool": (0, 1.5, 0, 0, 0.06), "Resize": (0, 1.5, 0, 0, 0.06), "Reorder": (0, 0.3, 0, 0, 0.05), "Transpose": (0, 0.3, 0, 0, 0.04),
    "Copy": (0, 0.2, 0, 0, 0.9), "Gather": (0, 0.3, 0, 0, 0.05), "Recurrent": (40, 0, 2, 0, 0.2), "RecurrentInt8": (100, 0, 2, 0, 0.2), "View": (0, 0, 0, 0, 0),
}
NAMES = list(KINDS)
VIEW, RECURRENT = NAMES.index("View"), [NAMES.index("Recurrent"), NAMES.index("RecurrentInt8")]
GLOBAL = {"dispatch_us": 4.0, "sync_us": 3.0, "cache_gb_s": 25.0, "memory_gb_s": 14.0, "memory_serial": 0.03}
CACHE_MB = 60.0
# Microseconds of a run beyond its nodes: a measured kernel alone is a whole run.
RUN_US = 6.0
# How the errors of a kernel alone, of an operator's share and of a constant weigh against those of a whole run.
KERNEL_WEIGHT, SHARE_WEIGHT, PULL = 0.25, 0.3, 0.25
# A copy is what memory allows; no kernel of it was measured alone, so its constants hardly move.
FIRM, FIRM_PULL = {"Copy"}, 2.0
# Shares below this are left to the whole run.
LEAST_SHARE = 0.03
# Which operators of a profile are which kinds.
PROFILE = [
    ({"Conv", "FusedConv"}, {"Conv", "Pointwise", "Stem", "Depthwise", "Im2col"}),
    ({"MatMul", "Gemm", "FusedMatMul", "FusedGemm"}, {"Gemm", "Batched", "MaskedBatched"}),
    ({"DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QGemm"}, {"GemmInt8", "GemmUint8"}),
    ({"QLinearConv"}, {"ConvInt8", "ConvUint8", "DepthwiseInt8"}),
    ({"QuickGelu", "Tanh", "Pow"}, {"Transcendental"}), ({"Gelu", "FastGelu"}, {"Gelu"}), ({"BiasGelu"}, {"BiasGelu"}),
    ({"Add", "Mul"}, {"Elementwise"}),
    ({"QuantizeLinear"}, {"Quantize"}), ({"DequantizeLinear"}, {"Dequantize"}),
    ({"ReorderInput", "ReorderOutput"}, {"Reorder"}),
    ({"Softmax"}, {"Softmax", "MaskedSoftmax"}), ({"LayerNormalization"}, {"LayerNorm"}), ({"MaxPool"}, {"Pool"}),
    ({"GlobalAveragePool"}, {"Reduce"}), ({"Transpose"}, {"Transpose"}),
    ({"LSTM"}, {"Recurrent"}),
]
TARGET_ERROR, TARGET_HOLDS = 1.2, 90.0

FAMILIES = [
    (r"minilm|e5-small", "minilm"), (r"bert", "bert"), (r"efficientnet|mobilenet", "mobilenet"), (r"resnet|resnext", "resnet"),
    (r"swin|vit", "vision-transformer"),
]


def family(graph):
    return next((name for pattern, name in FAMILIES if re.search(pattern, graph)), re.split(r"[_.-]", graph)[0])


def kebab(name):
    return re.sub("(?<!^)([A-Z])", r"-\1", name).lower()


def number(text):
    return max(float(text), 0.0)


def of_model(binary, path, inputs):
    """The kernels of a model: kind, multiply-accumulates, elements, bytes, cold bytes, rows, depth, steps."""
    args = [x for one in inputs.split(";") for x in one.rsplit("=", 1)]
    out = subprocess.run([binary, "--processor", path, *args], capture_output=True, text=True, check=True)
    rows = []
    for line in out.stdout.splitlines():
        kind, macs, acts, weights, results, nrows, depth, steps, quantized, _ = line.split(",", 9)
        macs, acts, weights, results = map(number, (macs, acts, weights, results))
        size = {"all": acts + weights, "weights": 4 * acts + weights, "none": 4 * (acts + weights)}[quantized]
        elements = acts if kind == "Reduce" else results
        stored = weights * (4 if quantized == "none" else 1)
        rows.append((kind, macs, elements, size, stored, max(number(nrows), 1), max(number(depth), 1), max(number(steps), 1)))
    # Weights come from memory where the caches do not hold those of the whole model.
    are_cold = sum(row[4] for row in rows) > CACHE_MB * 1e6
    return [row if are_cold else (*row[:4], 0, *row[5:]) for row in rows]


def of_kernel(row):
    """The kernels of a measured operator: itself, and the copies into and out of blocks of channels."""
    kind, shape, size, macs = row["kind"], row["shape"], float(row["bytes"]), float(row["macs"])
    dims = [int(x) for x in re.findall(r"\d+", shape)]
    product = float(np.prod(dims))
    # `HardSwish` alone is a function of two operators; after a convolution it is part of that.
    if kind in ("nothing", "hardswish"):
        return None
    if kind in ("matmul", "matmulinteger"):
        m, k, n = dims
        return ("Gemm" if kind == "matmul" else "GemmUint8", macs, m * n, size, 0, m, k, 1)
    if kind == "batched":
        return ("Batched", macs, dims[0] * dims[1] * dims[2] * (dims[3] + dims[2]), size, 0, dims[2], dims[3], 1)
    if kind == "conv":
        b, c, h, w, o, k, s, g = dims
        if g == c:
            name = "Depthwise"
        elif g > 1 and (c // g) % 16:
            name = "Im2col"
        elif c < 16:
            name = "Stem"
        else:
            name = "Pointwise" if k == 1 else "Conv"
        read, written = float(b * c * h * w), float(b * o * (h // s) * (w // s))
        found = [(name, macs, written, size, 0, o // g, c // g * k * k, 1)]
        if name != "Im2col":
            found += [("Reorder", 0, x, 8 * x, 0, 1, 1, 1) for x in ([read] if c >= 16 else []) + [written]]
        return found
    names = {"softmax": "Softmax", "layernorm": "LayerNorm", "reducemean": "Reduce", "transpose": "Transpose",
             "maxpool": "Pool", "globalpool": "Reduce", "gather": "Gather"}
    if kind in names:
        elements = size / 8 if kind in ("softmax", "layernorm", "transpose", "gather") else product
        if kind == "maxpool":
            elements = product / 4
        return (names[kind], 0, elements, size, 0, 1, 1, 1)
    simple = kind in ("add", "mul", "relu", "clip")
    return ("Elementwise" if simple else "Transcendental", 0, product, size, 0, 1, 1, 1)


def shares(row):
    """The milliseconds of groups of operators, and the kinds of each, of a profiled run."""
    found = dict(pair.split(":") for pair in row["top_operators"].split())
    for operators, kinds in PROFILE:
        share = sum(float(found.get(operator, 0)) for operator in operators)
        if share >= LEAST_SHARE:
            yield share * float(row["median_ms"]), kinds


class Targets:
    """What is fitted: times, and the kernels that each is the sum of, as arrays."""

    def __init__(self):
        self.rows, self.ms, self.weight, self.family, self.run_us = [], [], [], [], []

    def add(self, kernels, threads, ms, weight, family=None, run_us=0.0):
        grouped = {}
        for kernel in kernels:
            grouped[kernel] = grouped.get(kernel, 0) + 1
        at = len(self.ms)
        self.rows += [(NAMES.index(k[0]), *k[1:], n, threads, at) for k, n in grouped.items()]
        self.ms.append(ms)
        self.weight.append(weight)
        self.family.append(family)
        self.run_us.append(run_us)

    def freeze(self, keep=None):
        """Arrays of the targets that `keep` accepts."""
        at = [i for i in range(len(self.ms)) if keep is None or keep(i)]
        place = {old: new for new, old in enumerate(at)}
        a = np.array([(*r[:-1], place[r[-1]]) for r in self.rows if r[-1] in place], float)
        out = {"kind": a[:, 0].astype(int), "target": a[:, 10].astype(int), "n": len(at)}
        out |= dict(zip(("macs", "elements", "bytes", "cold", "rows", "depth", "steps", "count", "threads"), a[:, 1:10].T))
        pick = lambda values: np.array([values[i] for i in at], float)
        return out | {"s": pick(self.ms) / 1e3, "weight": pick(self.weight), "run_s": pick(self.run_us) / 1e6}


class Model:
    """Which constants are free, and their start, in logarithms."""

    def __init__(self):
        self.free, start = [], []
        for name, value in GLOBAL.items():
            self.free.append(name)
            start.append(value)
        for kind, values in KINDS.items():
            for field, value in zip(FIELDS, values):
                if value > 0:
                    self.free.append((kind, field))
                    start.append(value)
        self.start = np.log(start)
        self.pull = np.array([FIRM_PULL if key[0] in FIRM else PULL for key in self.free])

    def constants(self, x):
        g, k = {}, np.zeros((len(NAMES), len(FIELDS)))
        for key, value in zip(self.free, np.exp(x)):
            if isinstance(key, str):
                g[key] = value
            else:
                k[NAMES.index(key[0]), FIELDS.index(key[1])] = min(value, 1.0) if key[1] == "serial" else value
        return g, k


def seconds(constants, a):
    """The time of each target."""
    g, k = constants
    gmacs, ns, half_rows, half_depth, serial = k[a["kind"]].T
    view = a["kind"] == VIEW
    rate = gmacs * 1e9 * a["rows"] / (a["rows"] + half_rows) * a["depth"] / (a["depth"] + half_depth)
    products = np.where(rate > 0, a["macs"] / np.where(rate > 0, rate, 1), 0)
    gb_s = np.where(a["bytes"] > CACHE_MB * 1e6, g["memory_gb_s"], g["cache_gb_s"])

    def body(t):
        compute = (products + a["elements"] * ns * 1e-9) * (1 + serial * (t - 1)) / t
        moving = (a["bytes"] - a["cold"]) / (gb_s * 1e9) + a["cold"] / (g["memory_gb_s"] * 1e9)
        return np.hypot(compute, moving * (1 + g["memory_serial"] * (t - 1)) / t)

    t = np.where(np.isin(a["kind"], RECURRENT), np.minimum(a["threads"], a["rows"]), a["threads"])
    spread = body(t) + g["sync_us"] * 1e-6 * np.log2(t)
    launch = g["dispatch_us"] * 1e-6 * np.where(view, a["steps"], 1)
    time = a["count"] * (launch + np.where(view, 0, np.minimum(body(1.0), spread)))
    return np.bincount(a["target"], time, a["n"]) + a["run_s"]


def fit(model, a):
    def residuals(x):
        errors = a["weight"] * np.log(seconds(model.constants(x), a) / a["s"])
        return np.concatenate([errors, model.pull * (x - model.start)])

    return least_squares(residuals, model.start, loss="soft_l1", f_scale=0.3, max_nfev=40).x


def read(args):
    """The targets, and the runs of whole models among them."""
    paths = {}
    for folder in args.models:
        for root, _, files in os.walk(folder):
            for name in sorted(files):
                paths.setdefault(name, os.path.join(root, name))
    targets, runs, known = Targets(), [], {}
    for row in csv.DictReader(open(f"{MEASURED}/kernels_cpu.csv")):
        found = of_kernel(row)
        if found:
            targets.add(found if isinstance(found, list) else [found], int(row["threads"]), float(row["median_ms"]), KERNEL_WEIGHT, run_us=RUN_US)
    measured = list(csv.DictReader(open(f"{MEASURED}/models_cpu.csv")))
    missing = sorted({row["graph"] for row in measured} - set(paths))
    if missing:
        sys.exit(f"fit-processor: no file {', '.join(missing)}; name a folder with --models DIR")
    for row in measured:
        key, name = (row["graph"], row["input"]), family(row["graph"])
        if key not in known:
            known[key] = of_model(args.kernels, paths[row["graph"]], row["input"])
        runs.append((len(targets.ms), row, name))
        targets.add(known[key], int(row["threads"]), float(row["median_ms"]), 1.0, name)
        for ms, kinds in shares(row):
            some = [k for k in known[key] if k[0] in kinds]
            if some:
                targets.add(some, 1, ms, SHARE_WEIGHT, name)
            elif args.verbose:
                print("no kernel of", kinds, "in", key)
    return targets, runs


def held_out(model, targets, runs):
    """Logarithms of predicted over measured, each run with constants that its family did not enter."""
    held = np.zeros(len(runs))
    for name in sorted({name for _, _, name in runs}):
        x = fit(model, targets.freeze(lambda i: targets.family[i] != name))
        at = [i for i, run in enumerate(runs) if run[2] == name]
        places = {runs[i][0] for i in at}
        a = targets.freeze(lambda i: i in places)
        held[at] = np.log(seconds(model.constants(x), a) / a["s"])
        print(f"  held out {name}: {np.exp(np.mean(abs(held[at]))):.3f} (bias {np.exp(np.mean(held[at])):.2f}, {len(at)} runs)")
    return held


def toml(constants, targets, runs, error, holds, spread):
    g, k = constants
    kernels = sum(1 for us in targets.run_us if us)
    lines = ["# Timing constants of a processor, written by scripts/fit-processor. src/processor/timing.rs explains them.", "",
             'device = "xeon-emr-16"', 'runtime = "ONNX Runtime 1.30"', f"kernel_rows = {kernels}",
             f"model_rows = {len(runs)}", f"held_out_error = {error:.3f}", f"range_holds_percent = {holds:.1f}",
             f"range = {spread:.2f}", f"cache_mb = {CACHE_MB}"]
    lines += [f"{name} = {g[name]:.4g}" for name in GLOBAL]
    for i, name in enumerate(NAMES):
        if i != VIEW:
            lines += ["", f"[kinds.{kebab(name)}]"]
            lines += [f"{field} = {v:.4g}" for field, v in zip(FIELDS, k[i]) if v > 0]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", required=True, help="the example program that lists a model's kernels")
    parser.add_argument("--models", action="append", default=[f"{ROOT}/tests/fixtures/zoo"], help="folder of model files")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--in-sample", action="store_true", help="skip the held-out error")
    args = parser.parse_args()
    targets, runs = read(args)
    model = Model()
    best = fit(model, targets.freeze())
    places = {run[0] for run in runs}
    a = targets.freeze(lambda i: i in places)
    own = np.log(seconds(model.constants(best), a) / a["s"])
    print(f"in sample: {np.exp(np.mean(abs(own))):.3f}, n={len(runs)}")
    held = own if args.in_sample else held_out(model, targets, runs)
    for (_, row, _), inside, outside in zip(runs, own, held):
        if abs(outside) > 0.25 or args.verbose:
            print(f"  {row['graph']} {row['input'][:24]} x{row['threads']} held out {np.exp(outside):.2f}, in sample {np.exp(inside):.2f}")
    if args.verbose:
        c = model.constants(best)
        for i in range(len(targets.ms)):
            if targets.family[i] and i not in places:
                one = targets.freeze(lambda j: j == i)
                kinds = "+".join(sorted({NAMES[k] for k in one["kind"]}))
                run = max((r for r in runs if r[0] < i), key=lambda r: r[0])[1]
                ratio = seconds(c, one)[0] / one["s"][0]
                print(f"    {run['graph']} {run['input'][:12]} {kinds}: {targets.ms[i]:.2f} ms, x{ratio:.2f}")
    error = float(np.exp(np.mean(abs(held))))
    spread = max(1.3, 1.1 * float(np.exp(np.quantile(abs(held), 0.96))))
    holds = 100 * float(np.mean(abs(held) <= np.log(spread)))
    print(f"held out: {error:.3f}, range {spread:.2f} holds {holds:.0f} %")
    text = toml(model.constants(best), targets, runs, error, holds, spread)
    if not args.check:
        open(OUT, "w").write(text)
        return
    problems = []
    if open(OUT).read() != text:
        problems.append(f"{os.path.relpath(OUT, ROOT)} is out of date: run scripts/fit-processor")
    if error > TARGET_ERROR:
        problems.append(f"held-out error {error:.3f} is above {TARGET_ERROR}")
    if holds < TARGET_HOLDS:
        problems.append(f"the range holds {holds:.1f} %, less than {TARGET_HOLDS:.0f} %")
    for problem in problems:
        print(f"fit-processor: {problem}", file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
