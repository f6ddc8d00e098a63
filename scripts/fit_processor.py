"""Fits the timing constants of a processor on measured kernels and models. scripts/fit-processor runs it.

The model is that of crates/calipers-perf/src/processor/timing.rs. Constants are fitted together on kernels that were
measured alone and on whole models, in logarithms of time, and pulled to their start."""
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
MODELS = [f"{ROOT}/../shared", f"{ROOT}/tests/fixtures"]

# Packed 8-bit products start at four times the rate of floats, which is what VNNI computes.
# Start of the constants of each kind: GMAC/s, ns per element, rows and products per result at half
# the rate, serial share.
KINDS = {
    "Gemm": (50, 0, 4, 16, 0.03), "Batched": (50, 0, 1, 8, 0.04), "GemmInt8": (200, 0.5, 1, 0, 0.03), "GemmInteger": (60, 0.5, 1, 0, 0.03),
    "Conv": (55, 0, 0, 8, 0.04), "Pointwise": (45, 0, 0, 8, 0.04), "Stem": (45, 0, 0, 0, 0.06), "Depthwise": (25, 0.6, 0, 0, 0.06),
    "Im2col": (8, 0, 0, 8, 0.05), "ConvInt8": (40, 1, 0, 0, 0.05), "ConvQdq": (60, 1, 0, 0, 0.05),
    "DepthwiseInt8": (5, 1, 0, 0, 0.05), "ConvInteger": (2, 0, 0, 0, 0.2),
    "Elementwise": (0, 0.1, 0, 0, 0.03), "Transcendental": (0, 0.5, 0, 0, 0.04), "Quantize": (0, 0.7, 0, 0, 0.04),
    "Softmax": (0, 0.4, 0, 0, 0.04), "LayerNorm": (0, 0.7, 0, 0, 0.06), "Reduce": (0, 0.2, 0, 0, 0.06),
    "Pool": (0, 1.5, 0, 0, 0.06), "Transpose": (0, 0.3, 0, 0, 0.04), "Copy": (0, 0.2, 0, 0, 0.05), "Gather": (0, 0.3, 0, 0, 0.05),
    "Recurrent": (20, 0, 0, 0, 0.3), "View": (0, 0, 0, 0, 0),
}
NAMES = list(KINDS)
GLOBAL = {"dispatch_us": 2.5, "sync_us": 3.0, "cache_gb_s": 25.0, "memory_gb_s": 14.0, "memory_serial": 0.03}
CACHE_MB = 60.0
# Microseconds of a run beyond its nodes.
FIELDS = ("gmacs", "element_ns", "half_rows", "half_depth", "serial")

FAMILIES = [
    (r"bert|minilm|e5-small", None), (r"efficientnet|mobilenet", "mobilenet"), (r"resnet|resnext", "resnet"),
    (r"swin|vit", "vision-transformer"),
]


def family(graph):
    name = os.path.basename(graph)
    if "minilm" in name or "e5-small" in name:
        return "minilm"
    for pattern, known in FAMILIES:
        if re.search(pattern, name):
            return known or "bert"
    return re.split(r"[_.-]", name)[0]


class Sizes:
    """Kernels of one run as arrays."""

    def __init__(self, rows):
        grouped = {}
        for row in rows:
            grouped[row] = grouped.get(row, 0) + 1
        a = np.array([(NAMES.index(r[0]), *r[1:], n) for r, n in grouped.items()], float)
        self.kind = a[:, 0].astype(int)
        self.macs, self.elements, self.bytes, self.rows, self.depth, self.steps, self.count = a[:, 1:].T


def kebab(name):
    return re.sub("(?<!^)([A-Z])", r"-\1", name).lower()


def number(text):
    return max(float(text), 0.0)


def of_model(binary, graph, inputs):
    path = next((f"{d}/{graph}" for d in MODELS if os.path.exists(f"{d}/{graph}")), None)
    if path is None:
        return None
    args = [x for one in inputs.split(";") for x in one.rsplit("=", 1)]
    out = subprocess.run([binary, "--processor", path, *args], capture_output=True, text=True)
    if out.returncode:
        print("skipped", graph, out.stderr.strip()[:100], file=sys.stderr)
        return None
    rows = []
    for line in out.stdout.splitlines():
        kind, macs, acts, weights, results, nrows, depth, steps, quantized, _ = line.split(",", 9)
        macs, acts, weights, results = map(number, (macs, acts, weights, results))
        size = {"all": acts + weights, "weights": 4 * acts + weights, "none": 4 * (acts + weights)}[quantized]
        elements = acts if kind == "Reduce" else results
        rows.append((kind, macs, elements, size, max(number(nrows), 1), max(number(depth), 1),
                     max(number(steps), 1)))
    return Sizes(rows)


def of_kernel(row):
    kind, shape, size, macs = row["kind"], row["shape"], float(row["bytes"]), float(row["macs"])
    dims = [int(x) for x in re.findall(r"\d+", shape)]
    product = float(np.prod(dims))
    if kind == "nothing":
        return None
    if kind in ("matmul", "matmulinteger"):
        m, k, n = dims
        return ("Gemm" if kind == "matmul" else "GemmInteger", macs, m * n, size, m, k, 1)
    if kind == "batched":
        return ("Batched", macs, dims[0] * dims[1] * dims[2] * (dims[3] + dims[2]), size, dims[2], dims[3], 1)
    if kind == "conv":
        b, c, h, w, o, k, s, g = dims
        if g == c:
            name = "Depthwise"
        elif g > 1 and (c // g) % 16:
            name = "Im2col"
        elif c < 8:
            name = "Stem"
        else:
            name = "Pointwise" if k == 1 else "Conv"
        return (name, macs, b * o * (h // s) * (w // s), size, 1, c // g * k * k, 1)
    names = {"softmax": "Softmax", "layernorm": "LayerNorm", "reducemean": "Reduce", "transpose": "Transpose",
             "maxpool": "Pool", "globalpool": "Reduce", "gather": "Gather"}
    if kind in names:
        elements = size / 8 if kind in ("softmax", "layernorm", "transpose", "gather") else product
        if kind == "maxpool":
            elements = product / 4
        return (names[kind], 0, elements, size, 1, 1, 1)
    simple = kind in ("add", "mul", "relu", "clip")
    return ("Elementwise" if simple else "Transcendental", 0, product, size, 1, 1, 1)


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

    def constants(self, x):
        g, k = {}, np.zeros((len(NAMES), len(FIELDS)))
        for key, value in zip(self.free, np.exp(x)):
            if isinstance(key, str):
                g[key] = value
            else:
                k[NAMES.index(key[0]), FIELDS.index(key[1])] = value
        return g, k


def seconds(constants, sizes, threads):
    g, k = constants
    gmacs, ns, half, half_depth, serial = k[sizes.kind].T
    view = sizes.kind == NAMES.index("View")

    def body(t):
        rate = gmacs * 1e9 * sizes.rows / (sizes.rows + half) * sizes.depth / (sizes.depth + half_depth)
        products = np.where(rate > 0, sizes.macs / np.where(rate > 0, rate, 1), 0)
        compute = (products + sizes.elements * ns * 1e-9) / (t / (1 + serial * (t - 1)))
        gb_s = np.where(sizes.bytes > CACHE_MB * 1e6, g["memory_gb_s"], g["cache_gb_s"])
        memory = sizes.bytes / (gb_s * 1e9 * t / (1 + g["memory_serial"] * (t - 1)))
        return np.hypot(compute, memory)

    alone = body(1.0)
    if threads > 1:
        alone = np.minimum(alone, body(float(threads)) + g["sync_us"] * 1e-6 * np.log2(threads) * sizes.steps)
    launch = g["dispatch_us"] * 1e-6 * np.where(view, sizes.steps, 1)
    return float(np.sum(sizes.count * (launch + np.where(view, 0, alone))))


RUN_US = 6.0  # a measured kernel alone is a whole run


def fit(model, kernels, runs):
    counts = {}
    for run in runs:
        counts[run["family"]] = counts.get(run["family"], 0) + 1

    def residuals(x):
        c = model.constants(x)
        out = [0.25 * np.log((seconds(c, s, t) + RUN_US * 1e-6) / ms * 1e3) for s, t, ms in kernels]
        out += [np.log(seconds(c, r["sizes"], r["threads"]) / r["ms"] * 1e3) for r in runs]
        return np.concatenate([out, 0.25 * (x - model.start)])

    found = least_squares(residuals, model.start, loss="soft_l1", f_scale=0.3, max_nfev=12)
    return found.x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kernels", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-cross-validation", action="store_true")
    args = parser.parse_args()
    kernels = []
    for row in csv.DictReader(open(f"{MEASURED}/kernels_cpu.csv")):
        found = of_kernel(row)
        if found:
            kernels.append((Sizes([found]), int(row["threads"]), float(row["median_ms"])))
    runs, known = [], {}
    for row in csv.DictReader(open(f"{MEASURED}/models_cpu.csv")):
        key = (row["graph"], row["input"])
        if key not in known:
            known[key] = of_model(args.kernels, *key)
        if known[key] is not None:
            runs.append({"graph": row["graph"], "input": row["input"], "threads": int(row["threads"]),
                         "ms": float(row["median_ms"]), "sizes": known[key], "family": family(row["graph"])})
    model = Model()

    def log_errors(x, of):
        c = model.constants(x)
        return np.array([np.log(seconds(c, r["sizes"], r["threads"]) / r["ms"] * 1e3) for r in of])

    best = fit(model, kernels, runs)
    own = log_errors(best, runs)
    print(f"in sample: {np.exp(np.mean(abs(own))):.3f}, n={len(runs)}")
    for r, e in zip(runs, own):
        if abs(e) > 0.25:
            print(f"  {r['graph']} {r['input'][:24]} x{r['threads']} {np.exp(e):.2f}")
    held = own
    if not args.no_cross_validation:
        held = np.zeros(len(runs))
        for name in sorted({r["family"] for r in runs}):
            rest = [r for r in runs if r["family"] != name]
            x = fit(model, kernels, rest)
            at = [i for i, r in enumerate(runs) if r["family"] == name]
            held[at] = log_errors(x, [runs[i] for i in at])
            print(f"  held out {name}: {np.exp(np.mean(abs(held[at]))):.3f} ({len(at)})")
    error = float(np.exp(np.mean(abs(held))))
    spread = max(1.3, 1.05 * float(np.exp(np.quantile(abs(held), 0.93))))
    holds = 100 * float(np.mean(abs(held) <= np.log(spread)))
    print(f"held out: {error:.3f}, range {spread:.2f} holds {holds:.0f} %")
    g, k = model.constants(best)
    lines = ["# Timing constants of a processor, written by scripts/fit-processor. src/processor/timing.rs explains them.", "",
             'device = "xeon-emr-16"', 'runtime = "ONNX Runtime 1.30"', f"kernel_rows = {len(kernels)}",
             f"model_rows = {len(runs)}", f"held_out_error = {error:.3f}", f"range_holds_percent = {holds:.1f}",
             f"range = {spread:.2f}", f"cache_mb = {CACHE_MB}"]
    lines += [f"{name} = {g[name]:.4g}" for name in GLOBAL]
    for i, name in enumerate(NAMES):
        if name == "View":
            continue
        lines += ["", f"[kinds.{kebab(name)}]"]
        lines += [f"{field} = {v:.4g}" for field, v in zip(FIELDS, k[i]) if v > 0]
    text = "\n".join(lines) + "\n"
    if args.check:
        same = open(OUT).read() == text
        sys.exit(0 if same and error <= 1.35 else 1)
    open(OUT, "w").write(text)


if __name__ == "__main__":
    main()
