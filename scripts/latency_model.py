"""The latency model that `scripts/fit-latency` fits: its data, its two fits, and its held-out error.

One kernel takes  launch + (compute^q + memory^q + depth^q)^(1/q),  q = 1 + blend, where

    compute   FLOPs / (peak x efficiency)
    memory    bytes / (bandwidth x share)
    depth     products summed for one result x depth_ns: the floor of a small kernel

A run takes the sum over its kernels. The fit has two steps. The first fits a timing model for each kind and precision on
kernels measured alone. The second fits factors on whole models, because a kernel inside a model finds its data in other
caches, and libraries select it by other rules.

The second step has settings: where the first factor starts, how strongly all factors are pulled to their start, and
which factors are used. `choose` selects them by leave-one-family-out error. `held_out` repeats that selection for each
family on the other families alone, then predicts the family: nested cross-validation.
"""

from __future__ import annotations

import csv
import math
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

ROOT = Path(__file__).resolve().parent.parent
DEVICES = ROOT / "crates/calipers-perf/devices"
MEASURED = DEVICES / "measured"
GRAPHS = ROOT / "tests/fixtures/zoo"
DEVICE = "h200-sxm"

CONVOLUTIONS = ("conv", "pointwise", "stem", "grouped", "depthwise")
CONTRACTIONS = (*CONVOLUTIONS, "gemm", "gemv", "attention")
# Kinds without a measurement of their own, and the kind whose timing_model they use.
INSTEAD = {"grouped": "conv", "other": "elementwise", "recurrent": "gemm"}
FIELDS = ("launch_us", "efficiency", "bandwidth", "depth_ns", "blend")

# Candidate factors of the second step: kind, precisions, and the field they multiply. `speed` divides efficiency and
# bandwidth.
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
# Settings to select from: the start of the first factor (all others start at 1), and the pull to the start.
STARTS = (1.0, 3.0, 10.0, 40.0, 100.0)
PULLS = (0.1, 0.2, 0.5, 1.0)

# Networks of one family share their building blocks. A family is held out as a whole: a user's network is seldom the
# sibling of a measured one.
FAMILIES = {
    "residual": ("resnet18_op13", "resnet50", "resnet101", "resnext50_32x4d"),
    "inverted residual": ("mobilenet_v2_op17", "mobilenet_v3_small", "efficientnet_b0"),
    "plain convolutions": ("vgg19",),
    "vision transformer": ("vit_b_32", "swin_t"),
    "text encoder": ("bert_base", "minilm_l6"),
    "text decoder": ("gpt2",),
    "audio encoder": ("whisper_tiny_enc",),
}


def device() -> tuple[dict[str, float], float]:
    """Dense peaks in FLOP/s by precision, and bandwidth in bytes per second, as devices.toml states them."""
    with (DEVICES / "devices.toml").open("rb") as file:
        row = next(row for row in tomllib.load(file)["device"] if row["id"] == DEVICE)
    return {precision: peak * 1e12 for precision, peak in row["peaks"].items()}, row["bandwidth_gb_s"] * 1e9


PEAK, BANDWIDTH = device()


def peak_of(kind: str, precision: str) -> str:
    """Which peak a kind runs at: by default PyTorch computes fp32 convolutions in tf32, and fp32 products in fp32."""
    return "tf32" if precision == "fp32" and kind in CONVOLUTIONS else precision


def measured_kernels(program: str) -> dict[tuple[str, str], np.ndarray]:
    """Rows of FLOPs, bytes, depth and seconds by kind and precision. The program names the kinds."""
    with (MEASURED / "kernels_h200.csv").open() as file:
        rows = list(csv.DictReader(file))
    asked = "".join(f"{row['kind']},{row['shape']}\n" for row in rows)
    answer = subprocess.run([program, "--shapes"], input=asked, capture_output=True, text=True, check=True).stdout
    found: dict[tuple[str, str], list[tuple[float, ...]]] = {}
    for row, line in zip(rows, answer.splitlines(), strict=True):
        kind, depth = line.split(",")
        flops = float(row["flops"]) if kind in CONTRACTIONS else 0.0
        figures = (flops, float(row["bytes"]), float(depth), float(row["us"]) * 1e-6)
        found.setdefault((kind, row["precision"]), []).append(figures)
    return {key: np.array(lines) for key, lines in sorted(found.items())}


def parts(timing_model, flops, moved, depth, peak):
    """Launch, body, and the share of the body's slope that compute, memory and depth each have."""
    launch, efficiency, bandwidth, depth_ns, blend = timing_model
    power = 1 + blend
    compute = flops / (peak * efficiency)
    memory = moved / (BANDWIDTH * bandwidth)
    waiting = depth * depth_ns * 1e-9 * (flops > 0)
    # Powers of numbers near 1 do not underflow.
    largest = np.maximum(np.maximum(np.maximum(compute, memory), waiting), 1e-30)
    terms = [(part / largest) ** power for part in (compute, memory, waiting)]
    total = np.maximum(sum(terms), 1e-30)
    return launch * 1e-6, largest * total ** (1 / power), [term / total for term in terms]


def seconds(timing_model, flops, moved, depth, peak):
    launch, body, _ = parts(timing_model, flops, moved, depth, peak)
    return launch + body


def fit_timing_model(rows: np.ndarray, peak: float):
    """The timing_model of a kind, and its mean factor of error."""
    best = None
    for efficiency in (0.1, 0.5):
        start = np.log([2.5, efficiency, 0.6, 1.0, 1.0])

        def residuals(point, start=start):
            errors = np.log(seconds(np.exp(point), *rows.T[:3], peak) / rows.T[3])
            return np.concatenate([errors, 0.02 * (point - start)])

        found = least_squares(residuals, start, loss="soft_l1")
        if best is None or found.cost < best.cost:
            best = found
    timing_model = np.exp(best.x)
    # Nothing is faster than the device.
    timing_model[1:3] = np.minimum(timing_model[1:3], 1.0)
    errors = np.log(seconds(timing_model, *rows.T[:3], peak) / rows.T[3])
    return timing_model, geomean(errors)


class Models:
    """The kernels of every measured run, in one table. Equal kernels of a run are one line with a count."""

    def __init__(self, program: str) -> None:
        with (MEASURED / "models_h200.csv").open() as file:
            self.rows = list(csv.DictReader(file))
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
        table, self.times = np.unique(np.array(table, dtype=float), axis=0, return_counts=True)
        self.row, self.kind = table[:, 0].astype(int), table[:, 1].astype(int)
        self.flops, self.moved, self.depth = table.T[2:]
        self.peak = np.array([PEAK[peak_of(*kind)] for kind in self.kinds])[self.kind]
        self.best = np.array([float(row["best_ms"]) for row in self.rows]) * 1e-3
        self.eager = np.array([float(row["eager_ms"]) for row in self.rows]) * 1e-3
        self.count = np.array([row["kernels"] for row in self.rows])
        self.graph = np.array([row["graph"] for row in self.rows])
        family = {f"{name}.onnx": family for family, names in FAMILIES.items() for name in names}
        self.family = np.array([family[graph] for graph in self.graph])
        # Kinds that each factor changes.
        of = [(INSTEAD.get(kind, kind), precision) for kind, precision in self.kinds]
        self.changes = [
            np.array([kind in (None, own) and precision in precisions for own, precision in of])
            for kind, precisions, _ in FACTORS
        ]

    def of_kind(self, timing_models) -> np.ndarray:
        """A line of constants for each kind of the table."""
        return np.array([timing_models[INSTEAD.get(kind, kind), precision] for kind, precision in self.kinds])

    def predict(self, timing_models) -> np.ndarray:
        each = seconds(self.of_kind(timing_models)[self.kind].T, self.flops, self.moved, self.depth, self.peak)
        return self.by_row(each)

    def by_row(self, each: np.ndarray) -> np.ndarray:
        """Sums over the kernels of each row."""
        return np.bincount(self.row, each * self.times, len(self.rows))

    def predict_with_slopes(self, constants: np.ndarray, used: list[int]):
        """Seconds of every row, and their derivatives by the logarithms of the used factors."""
        timing_model = constants[self.kind].T
        launch, body, shares = parts(timing_model, self.flops, self.moved, self.depth, self.peak)
        # A share of the peak or of the bandwidth that has reached 1 no longer changes.
        speed = body * (shares[0] * (timing_model[1] < 1) + shares[1] * (timing_model[2] < 1))
        slopes = {"launch_us": launch, "speed": speed, "depth_ns": body * shares[2]}
        columns = [self.by_row(slopes[FACTORS[one][2]] * self.changes[one][self.kind]) for one in used]
        return self.by_row(launch + body), np.array(columns).T


def change(timing_model: np.ndarray, field: str, factor: float) -> None:
    """Multiplies a field of one timing_model, or of rows of timing_models."""
    if field == "speed":
        timing_model[..., 1:3] = np.minimum(timing_model[..., 1:3] / factor, 1.0)
    else:
        timing_model[..., FIELDS.index(field)] *= factor


def adjusted(timing_models, point: np.ndarray):
    """The timing_models with the factors of the second step. `point` holds a logarithm for each of FACTORS."""
    out = {key: np.array(timing_model) for key, timing_model in timing_models.items()}
    for (kind, precisions, field), factor in zip(FACTORS, np.exp(point), strict=True):
        for key, timing_model in out.items():
            if kind in (None, key[0]) and key[1] in precisions:
                change(timing_model, field, factor)
    return out


@dataclass(frozen=True)
class Settings:
    """What the second step can be given."""

    start: float
    pull: float
    used: tuple[int, ...]

    def __str__(self) -> str:
        names = [f"{FACTORS[one][0] or 'all'} {'+'.join(FACTORS[one][1][:2])} {FACTORS[one][2]}" for one in self.used]
        return f"start {self.start:g}, pull {self.pull:g}, {len(names)} factors: {', '.join(names) or 'none'}"


ALL = tuple(range(len(FACTORS)))


def fit_factors(models: Models, timing_models, use: np.ndarray, settings: Settings) -> np.ndarray:
    """Logarithms of all factors, fitted on the rows in `use`; a factor that is not used is 1."""
    used = list(settings.used)
    start = np.zeros(len(FACTORS))
    start[0] = math.log(settings.start)
    point = np.zeros(len(FACTORS))
    if not used:
        return point
    base, known = models.of_kind(timing_models), {}

    def look(values):
        key = values.tobytes()
        if key not in known:
            constants = base.copy()
            for one, value in zip(used, values, strict=True):
                rows = constants[models.changes[one]]
                change(rows, FACTORS[one][2], math.exp(value))
                constants[models.changes[one]] = rows
            known.clear()
            known[key] = models.predict_with_slopes(constants, used)
        return known[key]

    def residuals(values):
        errors = np.log(look(values)[0] / models.best)[use]
        return np.concatenate([errors, settings.pull * (values - start[used])])

    def slopes(values):
        times, columns = look(values)
        return np.vstack([(columns / times[:, None])[use], settings.pull * np.eye(len(used))])

    point[used] = least_squares(residuals, start[used], slopes, loss="soft_l1", max_nfev=50).x
    return point


def leave_out(models: Models, timing_models, groups: np.ndarray, use: np.ndarray, settings: Settings) -> np.ndarray:
    """Each group of rows predicted by factors fitted on the other groups, within the rows in `use`."""
    predicted = np.full(len(groups), np.nan)
    for group in sorted(set(groups[use])):
        out = use & (groups == group)
        point = fit_factors(models, timing_models, use & ~out, settings)
        predicted[out] = models.predict(adjusted(timing_models, point))[out]
    return predicted


def choose(models: Models, timing_models, use: np.ndarray) -> Settings:
    """The settings with the least leave-one-family-out error on the rows in `use`.

    First the start and the pull, with all factors. Then the factors, by forward selection at that start and pull: add
    the one that lowers the error most, until all are in, and keep the best set on the way.
    """

    def error(settings: Settings) -> float:
        predicted = leave_out(models, timing_models, models.family, use, settings)
        return float(np.mean(np.abs(np.log(predicted[use] / models.best[use]))))

    best = min((Settings(start, pull, ALL) for start in STARTS for pull in PULLS), key=error)
    path = [(error(Settings(best.start, best.pull, ())), ())]
    while len(path[-1][1]) < len(ALL):
        have = path[-1][1]
        sets = [tuple(sorted((*have, one))) for one in ALL if one not in have]
        path.append(min((error(Settings(best.start, best.pull, used)), used) for used in sets))
    return Settings(best.start, best.pull, min(path)[1])


def held_out(models: Models, timing_models) -> tuple[np.ndarray, dict[str, Settings]]:
    """Each family predicted by settings and factors that never used it, and those settings."""
    predicted, chosen = np.zeros(len(models.rows)), {}
    for family in sorted(set(models.family)):
        out = models.family == family
        chosen[family] = choose(models, timing_models, ~out)
        point = fit_factors(models, timing_models, ~out, chosen[family])
        predicted[out] = models.predict(adjusted(timing_models, point))[out]
    return predicted, chosen


def geomean(errors) -> float:
    return math.exp(np.mean(np.abs(errors)))


def within(errors, share=0.25) -> float:
    return float(np.mean(np.abs(np.exp(errors) - 1) < share))
