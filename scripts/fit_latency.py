"""Fits the latency model on measurements of an H200 and writes its constants. Run it through `scripts/fit-latency`.

`latency_model.py` describes the model and the two steps of the fit.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tomllib

import numpy as np
from latency_model import (
    CONTRACTIONS,
    DEVICE,
    DEVICES,
    FACTORS,
    FAMILIES,
    FIELDS,
    MEASURED,
    PEAK,
    Models,
    adjusted,
    choose,
    fit_timing_model,
    fit_factors,
    geomean,
    held_out,
    leave_out,
    measured_kernels,
    peak_of,
    within,
)

ARCHITECTURES = DEVICES / "architectures.toml"
PREDICTED = MEASURED / "predicted_h200.csv"

TARGET_GEOMEAN, TARGET_WITHIN_25 = 1.3, 0.60
# The printed range holds this share of the held-out rows, and is at least this wide.
RANGE_SHARE, LEAST_RANGE = 0.95, 1.3
# `--check` accepts stored figures that differ by this much: other machines round otherwise.
TOLERANCE = 0.01


def smallest_range(errors) -> float:
    """The smallest factor that holds RANGE_SHARE of the rows, rounded up."""
    ordered = np.sort(np.abs(errors))
    needed = math.ceil(RANGE_SHARE * len(ordered))
    return max(LEAST_RANGE, math.ceil(math.exp(ordered[needed - 1]) * 1000) / 1000)


def held_by(errors, factor: float) -> float:
    return float(np.mean(np.abs(errors) <= math.log(factor)))


def range_of_others(models: Models, errors) -> float:
    """The share of rows that fall inside a range chosen on the other families."""
    held = 0.0
    for family in FAMILIES:
        out = models.family == family
        held += held_by(errors[out], smallest_range(errors[~out])) * np.sum(out)
    return held / len(errors)


def host_us(models: Models, use: np.ndarray) -> float:
    """Microseconds for the host to issue one operation, from eager runs that wait for the host."""
    bound = use & (models.eager > 1.5 * models.best)
    return float(np.exp(np.median(np.log(models.eager[bound] / models.count[bound])))) * 1e6


def host_errors(models: Models, replayed: np.ndarray) -> np.ndarray:
    """Errors on eager runs. The host's time for a family comes from the other families."""
    errors = np.zeros(len(models.rows))
    for family in FAMILIES:
        out = models.family == family
        host = models.count * host_us(models, ~out) * 1e-6
        errors[out] = np.log(np.maximum(replayed, host) / models.eager)[out]
    return errors


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
        f"{name:41} {len(errors):3} rows: mean factor {geomean(errors):.3f}, "
        f"{100 * within(errors):5.1f} % within 25 %, 85 % within x{low:.2f}, 90 % within x{high:.2f}"
    )


def rounded(value: float) -> float:
    return float(f"{value:.4g}")


def document(timing_models, facts, counts, errors, factors, used) -> str:
    lines = [
        "# Architectures: the constants of the latency model, one stanza per architecture, sorted by name.",
        "#",
        "# Written by scripts/fit-latency from the rows under measured/; do not edit. A stanza's `name` is the",
        "# `architecture` of devices.toml. An architecture without measurements has no stanza: it uses the constants of",
        "# another one with a wider range, and the output says so. Devices other than GPUs use defaults.toml.",
        "#",
        "# A kernel takes  launch + (compute^q + memory^q + depth^q)^(1/q),  q = 1 + blend:",
        "#   launch_us    microseconds from kernel to kernel when a recorded graph is replayed",
        "#   efficiency   share of the dense peak (of the precision in `peak`) that arithmetic reaches",
        "#   bandwidth    share of the memory bandwidth that is reached; a mean, because caches hold small data",
        "#   depth_ns     nanoseconds for each product summed for one result: the floor of small kernels",
        "#   blend        how sharply the largest of the three wins",
        "#   rows, error  kernels of the fit, and its geometric-mean factor of error on them",
        "# The timing_models include the factors fitted on whole models; `in_model` lists them.",
        "# `held_out` figures are of network families that neither the fit nor its settings used: measured/README.md.",
        "",
        "[[architecture]]",
    ]
    for key, value in facts.items():
        lines.append(f"{key} = {toml(value)}")
    lines += ["", "[architecture.in_model]"]
    for one in used:
        kind, precisions, field = FACTORS[one]
        lines.append(f'"{kind or "all"} {"+".join(precisions)} {field}" = {rounded(factors[one])}')
    for (kind, precision), timing_model in sorted(timing_models.items()):
        lines += ["", "[[architecture.timing_model]]", f'kind = "{kind}"', f'precision = "{precision}"']
        if kind in CONTRACTIONS:
            lines.append(f'peak = "{peak_of(kind, precision)}"')
        for field, value in zip(FIELDS, timing_model, strict=True):
            if kind in CONTRACTIONS or field not in ("efficiency", "depth_ns"):
                lines.append(f"{field} = {value}")
        lines += [f"rows = {counts[kind, precision]}", f"error = {rounded(errors[kind, precision])}"]
    return "\n".join(lines) + "\n"


def toml(value) -> str:
    return f'"{value}"' if isinstance(value, str) else f"{value}"


def is_current(facts, models: Models, predicted, left_out) -> bool:
    """Whether the stored files hold the figures of this fit."""

    def near(stored, figure) -> bool:
        return bool(np.all(np.abs(np.asarray(stored, dtype=float) / figure - 1) <= TOLERANCE))

    stored = tomllib.loads(ARCHITECTURES.read_text())["architecture"][0]
    figures = {key: value for key, value in facts.items() if not isinstance(value, str)}
    with PREDICTED.open() as file:
        rows = list(csv.DictReader(file))
    return (
        all(near(stored.get(key, math.nan), value) for key, value in figures.items())
        and [row["graph"] for row in rows] == list(models.graph)
        and near([row["predicted_ms"] for row in rows], predicted * 1e3)
        and near([row["held_out_ms"] for row in rows], left_out * 1e3)
    )


def write(text: str, models: Models, predicted, left_out) -> None:
    ARCHITECTURES.write_text(text)
    with PREDICTED.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["graph", "input", "precision", "best_ms", "predicted_ms", "held_out_ms"])
        for index, row in enumerate(models.rows):
            figures = [f"{value[index] * 1e3:.5g}" for value in (predicted, left_out)]
            writer.writerow([row["graph"], row["input"], row["precision"], row["best_ms"], *figures])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", required=True, help="the program that lists a model's kernels")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when a target is missed or a file is out of date"
    )
    options = parser.parse_args()

    measured = measured_kernels(options.kernels)
    timing_models, errors = {}, {}
    print("timing_models on kernels alone")
    for key, rows in measured.items():
        if len(rows) >= 3:
            timing_models[key], errors[key] = fit_timing_model(rows, PEAK[peak_of(*key)])
            print(f"  {key[0]:12}{key[1]:5}{len(rows):4} rows, mean factor {errors[key]:.3f}")

    models = Models(options.kernels)
    every = np.ones(len(models.rows), dtype=bool)
    print("\nsettings selected without each family", flush=True)
    left_out, chosen = held_out(models, timing_models)
    for family, settings in chosen.items():
        print(f"  {family:20}{settings}")
    settings = choose(models, timing_models, every)
    print(f"settings selected on all families\n  {settings}")
    point = fit_factors(models, timing_models, every, settings)
    shipped = {key: np.array([rounded(value) for value in timing_model]) for key, timing_model in adjusted(timing_models, point).items()}
    predicted = models.predict(shipped)

    def missed(times) -> np.ndarray:
        return np.log(times / models.best)

    print("\nmodels of held-out families, worst first")
    table(models, left_out)
    print(f"\n{summary('kernels alone', missed(models.predict(timing_models)))}\n{summary('in sample', missed(predicted))}")
    for name, groups in (("network", models.graph), ("family", models.family)):
        print(summary(f"one {name} left out, settings on all", missed(leave_out(models, timing_models, groups, every, settings))))
    out = missed(left_out)
    print(summary("one family held out, settings without it", out))
    for precision in ("fp32", "fp16"):
        rows = [index for index, row in enumerate(models.rows) if row["precision"] == precision]
        print(summary(f"  {precision}", out[rows]))
    for family in FAMILIES:
        print(summary(f"  {family}", out[models.family == family]))
    factor = smallest_range(out)
    held = held_by(out, factor)
    print(f"range: divided and multiplied by {factor:.3f}, which holds {100 * held:.1f} % of held-out rows")
    print(f"ranges chosen on the other families hold {100 * range_of_others(models, out):.1f} %")
    host = host_errors(models, left_out)
    host_range = math.exp(np.quantile(np.abs(host), 0.9))
    facts = {
        "name": "Hopper",
        "device": DEVICE,
        "framework": "PyTorch, its defaults: convolutions of fp32 at tf32, batch norms not folded, NCHW",
        "kernel_rows": sum(len(rows) for rows in measured.values()),
        "model_rows": len(models.rows),
        "models": len(set(models.graph)),
        "families": len(FAMILIES),
        "held_out_error": rounded(geomean(out)),
        "held_out_within_25_percent": rounded(100 * within(out)),
        "range": factor,
        "range_holds_percent": rounded(100 * held),
        "host_us": rounded(host_us(models, every)),
        "host_error": rounded(geomean(host)),
        "host_range": rounded(host_range),
    }
    print(
        f"host: {facts['host_us']:.1f} us per operation, mean factor {geomean(host):.3f} on eager runs of held-out "
        f"families, 90 % within x{host_range:.2f}"
    )
    print("factors fitted on whole models")
    for one in settings.used:
        kind, precisions, field = FACTORS[one]
        print(f"  {kind or 'all':12}{'+'.join(precisions):20}{field:10} x{math.exp(point[one]):.2f}")

    ok = geomean(out) <= TARGET_GEOMEAN and within(out) >= TARGET_WITHIN_25 and held >= RANGE_SHARE
    if not ok:
        print("a target is missed")
    if not options.check:
        counts = {key: len(rows) for key, rows in measured.items() if key in errors}
        text = document(shipped, facts, counts, errors, np.exp(point), settings.used)
        write(text, models, predicted, left_out)
    elif not is_current(facts, models, predicted, left_out):
        print("the stored files are out of date: run scripts/fit-latency")
        ok = False
    # The sentence of the product: crates/calipers-perf/src/devices/timing/mod.rs.
    print(
        f"\nmean error {100 * (facts['held_out_error'] - 1):.0f} % on network families held out of the fit; "
        f"{facts['range_holds_percent']:.0f} % fall inside the range"
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
