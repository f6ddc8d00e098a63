//! Figures side by side. All of them are in the reports.

use calipers_report::{
    Binding, Difference, Dimension, Direction, FigureChange, FigureKind, Measure, Port, Quantity,
    Range, Report, Unknown,
};

/// Figures that depend on the sizes of the inputs.
fn depends_on_inputs(kind: FigureKind) -> bool {
    matches!(
        kind,
        FigureKind::KvCache
            | FigureKind::Latency
            | FigureKind::Macs
            | FigureKind::Memory
            | FigureKind::Moved
            | FigureKind::OtherFlops
            | FigureKind::Peak
    )
}

/// Whether less of it is better; `None` where neither is.
pub(crate) fn less_is_better(kind: FigureKind) -> Option<bool> {
    use FigureKind as K;
    match kind {
        K::FileSize
        | K::KvCache
        | K::KvCachePerToken
        | K::Latency
        | K::Macs
        | K::Memory
        | K::Moved
        | K::OtherFlops
        | K::Parameters
        | K::Peak
        | K::Weights => Some(true),
        _ => None,
    }
}

/// Every figure of both reports, in the order in which people read them.
pub(crate) fn compare(a: &Report, b: &Report) -> Vec<FigureChange> {
    let mut figures = figures(a, b);
    if let Some(note) = input_note(a, b) {
        for figure in figures.iter_mut().filter(|figure| depends_on_inputs(figure.kind)) {
            let known = figure.note.take().map(|known| format!("; {known}")).unwrap_or_default();
            figure.note = Some(format!("{note}{known}"));
        }
    }
    figures
}

fn figures(a: &Report, b: &Report) -> Vec<FigureChange> {
    use FigureKind as K;
    use Measure as M;
    let both = |kind: K, measure: M, read: &dyn Fn(&Report) -> Option<u64>, field: &str| {
        let (left, right) = (read(a), read(b));
        let note = [(left, a), (right, b)].into_iter().find_map(|(value, report)| {
            value.is_none().then(|| why_unknown(&report.unknown, field)).flatten()
        });
        let note = note.filter(|_| left.is_some() || right.is_some() || !field.is_empty());
        let figure =
            figure(kind, measure, left.map(Quantity::Integer), right.map(Quantity::Integer));
        FigureChange { note, ..figure }
    };
    let words = |kind: K, read: &dyn Fn(&Report) -> Option<String>| {
        figure(kind, M::Words, read(a).map(Quantity::Words), read(b).map(Quantity::Words))
    };
    let mut figures = vec![
        words(K::Family, &|report| {
            report.architecture.family.map(|family| family.display_name().to_owned())
        }),
        words(K::Task, &|report| Some(report.task.kind.display_name().to_owned())),
        words(K::Precision, &|report| report.model.precision.map(|dtype| dtype.to_string())),
        words(K::Quantization, &|report| Some(report.quantization.scheme.label().into_owned())),
        coverage(a, b),
        both(K::Nodes, M::Count, &|report| Some(report.graph.nodes_total), ""),
        both(K::Depth, M::Count, &|report| report.graph.depth, "graph.depth"),
        both(K::Parameters, M::Count, &|report| report.parameters.total, "parameters.total"),
        both(K::Weights, M::Bytes, &|report| report.memory.weights_bytes, "memory.weights_bytes"),
    ];
    figures.extend(bytes_by_type(a, b));
    figures.extend([
        both(K::FileSize, M::Bytes, &|report| Some(report.model.bytes), ""),
        both(K::Macs, M::Operations, &|report| report.cost.work.macs, "cost.macs"),
        both(
            K::OtherFlops,
            M::Operations,
            &|report| report.cost.work.other_flops,
            "cost.other_flops",
        ),
        both(K::Moved, M::Bytes, &|report| report.cost.work.bytes_moved, "cost.bytes_moved"),
        both(
            K::Peak,
            M::Bytes,
            &|report| report.memory.peak_activation_bytes,
            "memory.peak_activation_bytes",
        ),
    ]);
    let cache = |report: &Report| report.memory.kv_cache.clone();
    if cache(a).is_some() || cache(b).is_some() {
        figures.push(both(
            K::KvCachePerToken,
            M::Bytes,
            &|report| cache(report)?.bytes_per_token,
            "memory.kv_cache",
        ));
        figures.push(both(
            K::KvCache,
            M::Bytes,
            &|report| cache(report)?.bytes_at_context,
            "memory.kv_cache",
        ));
    }
    figures.extend(devices(a, b));
    figures.retain(|figure| figure.a.is_some() || figure.b.is_some() || figure.note.is_some());
    lower_bounds(a, b, &mut figures);
    figures
}

/// A figure with its difference.
pub(crate) fn figure(
    kind: FigureKind,
    measure: Measure,
    a: Option<Quantity>,
    b: Option<Quantity>,
) -> FigureChange {
    let delta = a.as_ref().zip(b.as_ref()).and_then(|(a, b)| difference(a, b));
    let percent = percent(a.as_ref(), b.as_ref());
    let amount = delta.map(|delta| match delta {
        #[expect(clippy::cast_precision_loss, reason = "only its sign is used")]
        Difference::Integer(value) => value as f64,
        Difference::Number(value) => value,
    });
    let direction = less_is_better(kind).zip(amount).map(|(less, amount)| direction(amount, less));
    FigureChange {
        name: kind.id().to_owned(),
        label: kind.display_name().to_owned(),
        kind,
        measure,
        a,
        b,
        delta,
        percent,
        direction,
        ..FigureChange::default()
    }
}

/// Whether a difference is to the better.
pub(crate) fn direction(amount: f64, less_is_better: bool) -> Direction {
    match amount {
        0.0 => Direction::Same,
        less if (less < 0.0) == less_is_better => Direction::Better,
        _ => Direction::Worse,
    }
}

fn difference(a: &Quantity, b: &Quantity) -> Option<Difference> {
    match (a, b) {
        (Quantity::Integer(a), Quantity::Integer(b)) => {
            let delta = i128::from(*b) - i128::from(*a);
            i64::try_from(delta).ok().map(Difference::Integer)
        }
        _ => Some(b.number()? - a.number()?)
            .filter(|delta| delta.is_finite())
            .map(Difference::Number),
    }
}

/// The difference in percent of the first, to two decimals.
fn percent(a: Option<&Quantity>, b: Option<&Quantity>) -> Option<f64> {
    let (a, b) = (a?.number()?, b?.number()?);
    let share = (b - a) / a.abs() * 100.0;
    share.is_finite().then_some((share * 100.0).round() / 100.0)
}

/// Why a figure is not known.
fn why_unknown(unknown: &[Unknown], field: &str) -> Option<String> {
    let found = unknown.iter().find(|unknown| !field.is_empty() && unknown.what.starts_with(field));
    found.map(|unknown| unknown.reason.clone())
}

/// The share of the weights that are quantized, where any are.
fn coverage(a: &Report, b: &Report) -> FigureChange {
    let share = |report: &Report| {
        let quantization = &report.quantization;
        match quantization.weights_percent {
            Some(percent) => Some(Quantity::Number(percent)),
            None if !quantization.scheme.is_quantized() => Some(Quantity::Number(0.0)),
            None => None,
        }
    };
    let is_quantized = |report: &Report| report.quantization.scheme.is_quantized();
    match is_quantized(a) || is_quantized(b) {
        true => figure(FigureKind::Coverage, Measure::Percent, share(a), share(b)),
        false => figure(FigureKind::Coverage, Measure::Percent, None, None),
    }
}

/// Bytes of learned weights by their type, widest use first.
fn bytes_by_type(a: &Report, b: &Report) -> Vec<FigureChange> {
    let (types_a, types_b) = (&a.parameters.by_dtype, &b.parameters.by_dtype);
    let mut types: Vec<_> = types_a.keys().chain(types_b.keys()).copied().collect();
    types.sort_unstable();
    types.dedup();
    let bytes = |elements: Option<&u64>, dtype: calipers_report::DType| {
        dtype.bytes(elements.copied().unwrap_or(0)).map(Quantity::Integer)
    };
    types
        .into_iter()
        .map(|dtype| {
            let (left, right) = (types_a.get(&dtype), types_b.get(&dtype));
            let figure = figure(
                FigureKind::BytesByType,
                Measure::Bytes,
                bytes(left, dtype),
                bytes(right, dtype),
            );
            FigureChange {
                name: format!("{}:{dtype}", FigureKind::BytesByType.id()),
                label: format!("Weights in {dtype}"),
                ..figure
            }
        })
        .collect()
}

/// Latency and memory on each device that both reports have.
fn devices(a: &Report, b: &Report) -> Vec<FigureChange> {
    let mut figures = Vec::new();
    let rows = |report: &Report| -> Vec<(String, calipers_report::RunEstimate)> {
        let Some(hardware) = &report.hardware else { return Vec::new() };
        let device = hardware.device.as_ref().map(|device| {
            let run = calipers_report::RunEstimate {
                latency_ms: hardware.latency_ms,
                throughput: hardware.throughput,
                memory_bytes: hardware.memory_bytes,
                fits: hardware.fits,
                reason: hardware.no_latency.clone(),
            };
            (device.id.clone(), run)
        });
        // The one device that was asked for replaces the table of common ones.
        match device {
            Some(device) => vec![device],
            None => hardware.devices.iter().map(|row| (row.id.clone(), row.run.clone())).collect(),
        }
    };
    let (before, after) = (rows(a), rows(b));
    let note = conditions(a, b);
    for (id, other) in after {
        let known = before.iter().find(|(known, _)| *known == id);
        let run = known.map(|(_, run)| run.clone()).unwrap_or_default();
        let value = |range: Option<Range>| range.map(|range| Quantity::Number(range.expected));
        let latency = figure(
            FigureKind::Latency,
            Measure::Milliseconds,
            value(run.latency_ms),
            value(other.latency_ms),
        );
        let within_error = run.latency_ms.zip(other.latency_ms).is_some_and(|(a, b)| overlap(a, b));
        let is_missing = latency.a.is_none() || latency.b.is_none();
        let reason = run.reason.clone().or_else(|| other.reason.clone()).filter(|_| is_missing);
        figures.push(FigureChange {
            name: format!("{}@{id}", FigureKind::Latency.id()),
            label: format!("Latency on {id}"),
            within_error,
            range_a: run.latency_ms,
            range_b: other.latency_ms,
            note: reason.clone().or_else(|| note.clone()),
            ..latency
        });
        let memory = figure(
            FigureKind::Memory,
            Measure::Bytes,
            run.memory_bytes.map(Quantity::Integer),
            other.memory_bytes.map(Quantity::Integer),
        );
        let is_missing = memory.a.is_none() || memory.b.is_none();
        figures.push(FigureChange {
            name: format!("{}@{id}", FigureKind::Memory.id()),
            label: format!("Memory on {id}"),
            note: reason.filter(|_| is_missing),
            ..memory
        });
    }
    figures
}

/// What the estimates of two reports do not share.
fn conditions(a: &Report, b: &Report) -> Option<String> {
    let (a, b) = (a.hardware.as_ref()?, b.hardware.as_ref()?);
    if a.batch != b.batch {
        return Some(format!("{}: batch {}, was {}", FigureChange::SIZES_DIFFER, b.batch, a.batch));
    }
    if a.runtime != b.runtime {
        let (now, before) = (b.runtime.display_name(), a.runtime.display_name());
        return Some(format!("estimated for {now}, was for {before}"));
    }
    None
}

/// Whether each estimate is within the range of the other.
fn overlap(a: Range, b: Range) -> bool {
    (a.low..=a.high).contains(&b.expected) && (b.low..=b.high).contains(&a.expected)
}

/// Figures of costs that lack nodes are lower bounds.
fn lower_bounds(a: &Report, b: &Report, figures: &mut [FigureChange]) {
    let sides = match (a.cost.lower_bound, b.cost.lower_bound) {
        (false, false) => return,
        (true, true) => "both are lower bounds: some nodes have no known cost",
        (true, false) => "the first is a lower bound: some nodes have no known cost",
        (false, true) => "the second is a lower bound: some nodes have no known cost",
    };
    for figure in figures.iter_mut().filter(|figure| figure.kind == FigureKind::Macs) {
        figure.note.get_or_insert_with(|| sides.to_owned());
    }
}

/// What to know when the two models were measured at other input sizes.
fn input_note(a: &Report, b: &Report) -> Option<String> {
    let differs = a.graph.inputs.iter().find_map(|port| {
        let other = b.graph.inputs.iter().find(|other| other.name == port.name)?;
        let (left, right) = (sizes(a, port)?, sizes(b, other)?);
        (left != right).then(|| (port.name.clone(), left, right))
    });
    let (name, left, right) = differs?;
    let text = |sizes: &[i64]| {
        let texts: Vec<String> = sizes.iter().map(i64::to_string).collect();
        texts.join("×")
    };
    let (differ, now, before) = (FigureChange::SIZES_DIFFER, text(&right), text(&left));
    Some(format!("{differ}: `{name}` is {now}, was {before}"))
}

/// The sizes of an input that the figures are computed at; `None` where one is not known.
fn sizes(report: &Report, port: &Port) -> Option<Vec<i64>> {
    let dims = port.shape.as_ref()?.iter();
    dims.map(|dim| match dim {
        Dimension::Size(size) => Some(*size),
        Dimension::Symbol(name) => match report.bindings.get(name) {
            Some(Binding::Size(size)) => Some(*size),
            _ => {
                let mut assumed = report.assumptions.iter();
                let found = assumed.find(|assumption| assumption.size_name() == Some(name));
                found.and_then(|assumption| assumption.value.parse().ok())
            }
        },
        Dimension::Unknown => None,
    })
    .collect()
}
