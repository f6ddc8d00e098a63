"""Fits the latency model on what was measured on an H200. Run it through `scripts/fit-latency`.

One kernel takes  launch + (compute^q + memory^q + depth^q)^(1/q),  q = 1 + blend, where

    compute   FLOPs / (peak x efficiency)
    memory    bytes / (bandwidth x share)
    depth     products that are added up for one result x depth_ns: what a small kernel cannot go below

A run takes the sum over its kernels. The constants are fitted in two steps: a curve for each kind and precision on
kernels that were measured alone, then nine factors on whole models, since kernels next to others find their data
elsewhere and are chosen by other rules than alone. The second step is judged by leaving out one model at a time.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

ROOT = Path(__file__).resolve().parent.parent
DEVICES = ROOT / "crates/calipers-devices"
MEASURED = DEVICES / "measured"
GRAPHS = ROOT / "tests/fixtures/zoo"

# The device's stanza of devices.toml.
PEAK = {"fp32": 67e12, "tf32": 494.5e12, "fp16": 989.5e12, "bf16": 989.5e12, "int8": 1979e12}
BANDWIDTH = 4.8e12

CONVOLUTIONS = ("conv", "pointwise", "stem", "grouped", "depthwise")
CONTRACTIONS = (*CONVOLUTIONS, "gemm", "gemv", "attention")
# Products of as few rows are another kind: they read the weights and little else.
FEW_ROWS = 4
OTHERS = {
    "batchnorm": "batch-norm",
    "elementwise": "elementwise",
    "gather": "gather",
    "layernorm": "layer-norm",
    "maxpool": "pool",
    "reduce": "reduce",
    "softmax": "softmax",
    "transpose": "copy",
}
# Kinds that were not measured alone, and whose curve they take.
INSTEAD = {"grouped": "conv", "other": "elementwise", "recurrent": "gemm"}
FIELDS = ("launch_us", "efficiency", "bandwidth", "depth_ns", "blend")

# Factors of the second step: kind, precisions, and the field they multiply; `speed` divides efficiency and bandwidth.
FACTORS = (
    ("gemm", ("fp32",), "depth_ns"),
    ("pointwise", ("fp32",), "speed"),
    ("pointwise", ("fp16",), "speed"),
    ("batch-norm", ("fp32", "fp16"), "speed"),
    ("elementwise", ("fp32", "fp16"), "speed"),
    ("conv", ("fp32", "fp16"), "speed"),
    ("copy", ("fp32", "fp16"), "speed"),
    ("attention", ("fp32", "fp16"), "speed"),
    (None, ("fp32", "fp16", "bf16", "int8"), "launch_us"),
)
# Where the second step starts, and is drawn back to. In whole models small fp32 products take far longer than alone, by
# about as much for each product of their depth; the start was chosen with all networks in view.
PRIOR = np.zeros(len(FACTORS))
PRIOR[0] = math.log(40)
PULL = 0.5

TARGET_GEOMEAN, TARGET_WITHIN_25 = 1.3, 0.60
# The printed range holds this share of the left-out rows, and is at least so wide: other models vary more than these.
RANGE_SHARE, LEAST_RANGE = 0.95, 1.3


def peak_of(kind: str, precision: str) -> str:
    """Which peak a kind runs at: PyTorch lets convolutions of fp32 round to tf32, and products not."""
    return "tf32" if precision == "fp32" and kind in CONVOLUTIONS else precision


def convolution(shape: str) -> tuple[str, int]:
    """Kind and depth of a convolution such as b8c64o64k3s1g1hw56."""
    sides = {name: int(value) for name, value in re.findall(r"([a-z]+)(\d+)", shape)}
    groups, channels, kernel = sides["g"], sides["c"], sides["k"]
    if groups > 1:
        kind = "depthwise" if groups == channels else "grouped"
    elif channels < 8:
        kind = "stem"
    else:
        kind = "pointwise" if kernel == 1 else "conv"
    return kind, channels // groups * kernel**2


def measured_kernels() -> dict[tuple[str, str], np.ndarray]:
    """Rows of FLOPs, bytes, depth and seconds by kind and precision."""
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    with (MEASURED / "kernels_h200.csv").open() as file:
        for row in csv.DictReader(file):
            kind, shape, flops, depth = row["kind"], row["shape"], float(row["flops"]), 1
            if kind == "gemm":
                count, depth, _ = (int(side) for side in shape.split("x"))
                kind = "gemv" if count <= FEW_ROWS else "gemm"
            elif kind in ("conv", "depthwise"):
                kind, depth = convolution(shape)
            elif kind == "attention":
                depth = int(shape.split("x")[2])
            else:
                kind, flops = OTHERS[kind], 0.0
            line = (flops, float(row["bytes"]), depth, float(row["us"]) * 1e-6)
            rows.setdefault((kind, row["precision"]), []).append(line)
    return {key: np.array(lines) for key, lines in sorted(rows.items())}


def seconds(curve, flops, moved, depth, peak):
    launch, efficiency, bandwidth, depth_ns, blend = curve
    power = 1 + blend
    compute = flops / (peak * efficiency)
    memory = moved / (BANDWIDTH * bandwidth)
    waiting = depth * depth_ns * 1e-9 * (flops > 0)
    return launch * 1e-6 + (compute**power + memory**power + waiting**power) ** (1 / power)


def fit_curve(rows: np.ndarray, peak: float):
    """The curve of a kind, and its mean factor of error."""
    best = None
    for efficiency in (0.1, 0.5):
        start = np.log([2.5, efficiency, 0.6, 1.0, 1.0])

        def residuals(point, start=start):
            errors = np.log(seconds(np.exp(point), *rows.T[:3], peak) / rows.T[3])
            return np.concatenate([errors, 0.02 * (point - start)])

        found = least_squares(residuals, start, loss="soft_l1")
        if best is None or found.cost < best.cost:
            best = found
    curve = np.exp(best.x)
    # Nothing is faster than the device.
    curve[1:3] = np.minimum(curve[1:3], 1.0)
    errors = np.log(seconds(curve, *rows.T[:3], peak) / rows.T[3])
    return curve, math.exp(np.mean(np.abs(errors)))


class Models:
    """The kernels of every measured row, in one table."""

    def __init__(self, program: str) -> None:
        with (MEASURED / "models_h200.csv").open() as file:
            self.rows = list(csv.DictReader(file))
        self.kinds: list[tuple[str, str]] = []
        known: dict[tuple[str, str], int] = {}
        listed: dict[tuple[str, str], list[list[str]]] = {}
        table = []
        for index, row in enumerate(self.rows):
            key = (row["graph"], row["input"])
            if key not in listed:
                name, shape = row["input"].split("=")
                command = [program, str(GRAPHS / row["graph"]), name, shape]
                lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
                listed[key] = [line.split(",", 8) for line in lines.splitlines()]
            element = 4 if row["precision"] == "fp32" else 2
            for line in listed[key]:
                kind = (line[0], row["precision"])
                place = known.setdefault(kind, len(known))
                macs, _, activations, weights, depth = (int(word) for word in line[1:6])
                table.append((index, place, 2 * macs, (activations + weights) * element, depth))
            row["kernels"] = len(listed[key])
        self.kinds = list(known)
        table = np.array(table, dtype=float)
        self.row, self.kind = table[:, 0].astype(int), table[:, 1].astype(int)
        self.flops, self.moved, self.depth = table.T[2:]
        self.peak = np.array([PEAK[peak_of(*kind)] for kind in self.kinds])[self.kind]
        self.best = np.array([float(row["best_ms"]) for row in self.rows]) * 1e-3
        self.eager = np.array([float(row["eager_ms"]) for row in self.rows]) * 1e-3
        self.count = np.array([row["kernels"] for row in self.rows])

    def predict(self, curves) -> np.ndarray:
        of_kind = np.array([curves[INSTEAD.get(kind, kind), precision] for kind, precision in self.kinds])[self.kind]
        each = seconds(of_kind.T, self.flops, self.moved, self.depth, self.peak)
        return np.bincount(self.row, each, len(self.rows))


def adjusted(curves, point):
    """The curves with the factors of the second step."""
    out = {key: np.array(curve) for key, curve in curves.items()}
    for (kind, precisions, field), factor in zip(FACTORS, np.exp(point), strict=True):
        for key, curve in out.items():
            if kind not in (None, key[0]) or key[1] not in precisions:
                continue
            if field == "speed":
                curve[1:3] = np.minimum(curve[1:3] / factor, 1.0)
            else:
                curve[FIELDS.index(field)] *= factor
    return out


def fit_factors(models: Models, curves, use: np.ndarray) -> np.ndarray:
    def residuals(point):
        errors = np.log(models.predict(adjusted(curves, point)) / models.best)[use]
        return np.concatenate([errors, PULL * (point - PRIOR)])

    return least_squares(residuals, PRIOR, loss="soft_l1", max_nfev=20).x


def leave_one_out(models: Models, curves) -> np.ndarray:
    """Each model predicted by factors that were fitted on the others."""
    graphs = np.array([row["graph"] for row in models.rows])
    predicted = np.zeros(len(graphs))
    for graph in sorted(set(graphs)):
        point = fit_factors(models, curves, graphs != graph)
        predicted[graphs == graph] = models.predict(adjusted(curves, point))[graphs == graph]
    return predicted


def geomean(errors) -> float:
    return math.exp(np.mean(np.abs(errors)))


def within(errors, share=0.25) -> float:
    return float(np.mean(np.abs(np.exp(errors) - 1) < share))


def host_time(models: Models, replayed: np.ndarray):
    """Microseconds for the host to issue an operation, the mean factor of error, and what holds 85 %."""
    host_bound = models.eager > 1.5 * models.best
    each = float(np.exp(np.median(np.log(models.eager[host_bound] / models.count[host_bound]))))
    errors = np.log(np.maximum(replayed, models.count * each) / models.eager)
    return each * 1e6, geomean(errors), math.exp(np.quantile(np.abs(errors), 0.9))


def table(models: Models, predicted: np.ndarray) -> None:
    errors = np.log(predicted / models.best)
    print(f"{'model':26}{'input':20}{'':6}{'measured ms':>12}{'predicted':>11}  factor")
    for index in np.argsort(-np.abs(errors)):
        row = models.rows[index]
        print(
            f"{row['graph']:26}{row['input'].split('=')[1]:20}{row['precision']:6}"
            f"{models.best[index] * 1e3:12.4f}{predicted[index] * 1e3:11.4f}  {math.exp(errors[index]):.3f}"
        )


def summary(name: str, errors) -> str:
    low, high = (math.exp(np.quantile(np.abs(errors), share)) for share in (0.85, 0.90))
    return (
        f"{name:14} {len(errors):3} rows: geometric-mean factor {geomean(errors):.3f}, "
        f"{100 * within(errors):.1f} % within 25 %, 85 % of rows within x{low:.2f}, 90 % within x{high:.2f}"
    )


def rounded(value: float) -> float:
    return float(f"{value:.4g}")


def document(curves, facts, counts, errors, factors) -> str:
    lines = [
        "# Architectures: the constants of the latency model, one stanza an architecture, sorted by name.",
        "#",
        "# Written by scripts/fit-latency from the rows under measured/; not edited by hand. A stanza's `name` is the",
        "# `architecture` of devices.toml. An architecture that nobody measured has no stanza: constants are carried over",
        "# with a wider range, and that is said. Devices that are no GPUs have theirs in defaults.toml.",
        "#",
        "# A kernel takes  launch + (compute^q + memory^q + depth^q)^(1/q),  q = 1 + blend:",
        "#   launch_us    microseconds from kernel to kernel when a recorded graph is replayed",
        "#   efficiency   share of the dense peak (of the precision in `peak`) that arithmetic reaches",
        "#   bandwidth    share of the memory bandwidth that is reached; small data lies in caches, so it is a mean",
        "#   depth_ns     nanoseconds for each product that is added up for one result: the floor of small kernels",
        "#   blend        how sharply the largest of the three wins",
        "#   rows, error  kernels of the fit, and its geometric-mean factor of error on them",
        "# Factors found on whole models are in the curves already; `in_model` lists them.",
        "",
        "[[architecture]]",
    ]
    for key, value in facts.items():
        lines.append(f"{key} = {toml(value)}")
    lines += ["", "[architecture.in_model]"]
    for (kind, precisions, field), factor in zip(FACTORS, factors, strict=True):
        lines.append(f'"{kind or "all"} {"+".join(precisions)} {field}" = {rounded(factor)}')
    for (kind, precision), curve in sorted(curves.items()):
        lines += ["", "[[architecture.curve]]", f'kind = "{kind}"', f'precision = "{precision}"']
        if kind in CONTRACTIONS:
            lines.append(f'peak = "{peak_of(kind, precision)}"')
        for field, value in zip(FIELDS, curve, strict=True):
            if kind in CONTRACTIONS or field not in ("efficiency", "depth_ns"):
                lines.append(f"{field} = {value}")
        lines += [f"rows = {counts[kind, precision]}", f"error = {rounded(errors[kind, precision])}"]
    return "\n".join(lines) + "\n"


def toml(value) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", required=True, help="the program that lists a model's kernels")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a target is missed")
    options = parser.parse_args()

    measured = measured_kernels()
    curves, errors = {}, {}
    print("curves on kernels alone")
    for key, rows in measured.items():
        if len(rows) >= 3:
            curves[key], errors[key] = fit_curve(rows, PEAK[peak_of(*key)])
            print(f"  {key[0]:12}{key[1]:5}{len(rows):4} rows, mean factor {errors[key]:.3f}")

    models = Models(options.kernels)
    alone = np.log(models.predict(curves) / models.best)
    left_out = leave_one_out(models, curves)
    point = fit_factors(models, curves, np.ones(len(models.rows), dtype=bool))
    shipped = {
        key: np.array([rounded(value) for value in curve]) for key, curve in adjusted(curves, point).items()
    }
    predicted = models.predict(shipped)
    missed = np.log(left_out / models.best)

    print("\nmodels, each predicted without having been seen, worst first")
    table(models, left_out)
    print(f"\n{summary('kernels alone', alone)}\n{summary('in sample', np.log(predicted / models.best))}")
    print(summary("left out", missed))
    for precision in ("fp32", "fp16"):
        rows = [index for index, row in enumerate(models.rows) if row["precision"] == precision]
        print(summary(f"  {precision}", missed[rows]))
    factor = max(LEAST_RANGE, math.exp(np.quantile(np.abs(missed), RANGE_SHARE)))
    held = float(np.mean(np.abs(missed) <= math.log(factor)))
    print(f"range: divided and multiplied by {factor:.3f}, which holds {100 * held:.1f} % of rows left out")
    host_us, host_error, host_range = host_time(models, predicted)
    print(f"host: {host_us:.1f} us an operation, mean factor {host_error:.3f} on eager runs, 90 % within x{host_range:.2f}")
    print("factors found on whole models")
    for (kind, precisions, field), value in zip(FACTORS, np.exp(point), strict=True):
        print(f"  {kind or 'all':12}{'+'.join(precisions):10}{field:10} x{value:.2f}")

    ok = geomean(missed) <= TARGET_GEOMEAN and within(missed) >= TARGET_WITHIN_25 and held >= 0.85
    if options.check:
        return 0 if ok else 1
    facts = {
        "name": "Hopper",
        "device": "h200-sxm",
        "framework": "PyTorch, its defaults: convolutions of fp32 at tf32, batch norms not folded, NCHW",
        "kernel_rows": sum(len(rows) for rows in measured.values()),
        "model_rows": len(models.rows),
        "models": len({row["graph"] for row in models.rows}),
        "left_out_error": rounded(geomean(missed)),
        "left_out_within_25_percent": rounded(100 * within(missed)),
        "range": rounded(factor),
        "range_holds_percent": rounded(100 * held),
        "host_us": rounded(host_us),
        "host_error": rounded(host_error),
        "host_range": rounded(host_range),
    }
    counts = {key: len(rows) for key, rows in measured.items() if key in errors}
    text = document(shipped, facts, counts, errors, np.exp(point))
    (DEVICES / "architectures.toml").write_text(text)
    with (MEASURED / "predicted_h200.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["graph", "input", "precision", "best_ms", "predicted_ms", "left_out_ms"])
        for index, row in enumerate(models.rows):
            figures = [f"{value[index] * 1e3:.5g}" for value in (predicted, left_out)]
            writer.writerow([row["graph"], row["input"], row["precision"], row["best_ms"], *figures])
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
