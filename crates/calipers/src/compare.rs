//! What changed between models.

use calipers_compare::{Changes, Graph, Graphs, Side, Subject, align};
use calipers_infer::Bindings;
use calipers_ir::{GraphOrigin, NodeId, TensorId};
use calipers_report::{Comparison, ComparisonView, GraphView, ModelSource, NodeStatus, Report};

use crate::model::{Extras, check_whole};
use crate::{Error, Model, Options};

/// One side of a comparison: a model, or what an earlier analysis reported of one.
#[derive(Clone, Copy, Debug)]
pub enum Compared<'a> {
    /// A model.
    Model(&'a Model),
    /// A report that was saved as JSON; it has figures and an interface, but no graph.
    Report(&'a Report),
}

impl<'a> From<&'a Model> for Compared<'a> {
    fn from(model: &'a Model) -> Self {
        Self::Model(model)
    }
}

impl<'a> From<&'a Report> for Compared<'a> {
    fn from(report: &'a Report) -> Self {
        Self::Report(report)
    }
}

/// A side with the name that the comparison gives it, and its analysis.
pub(crate) struct Analyzed<'a> {
    label: String,
    report: Report,
    /// The report with the names of the file, where `report` has words in their place.
    named: Option<Report>,
    model: Option<&'a Model>,
    extras: Extras,
}

impl Analyzed<'_> {
    fn side(&self) -> Side<'_> {
        Side {
            label: &self.label,
            report: &self.report,
            named: self.named.as_ref(),
            source: match self.model {
                Some(_) => ModelSource::Model,
                None => ModelSource::Report,
            },
        }
    }
}

/// Compares two models: the first is the baseline. The weights are compared where the options ask
/// to read them. The gates of the comparison are left empty; see [`crate::gates`].
///
/// ```no_run
/// use calipers::{Model, Options, compare};
///
/// let (a, b) = (Model::open("model.onnx")?, Model::open("model-int8.onnx")?);
/// let comparison = compare((&a).into(), (&b).into(), &Options::new())?;
/// println!("{}", comparison.verdict.compatibility);
/// # Ok::<(), calipers::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`Model::analyze`], and [`Error::Cycle`].
pub fn compare(a: Compared<'_>, b: Compared<'_>, options: &Options) -> Result<Comparison, Error> {
    let [a, b] = analyze_pair([a, b], options, false)?;
    pair(&a, &b, options).map(|(comparison, _)| comparison)
}

/// Like [`compare`], plus both graphs for the HTML page; `None` where a side is a saved report.
///
/// # Errors
///
/// Those of [`Model::analyze`], and [`Error::Cycle`].
pub fn compare_graphs(
    a: Compared<'_>,
    b: Compared<'_>,
    options: &Options,
) -> Result<(Comparison, Option<ComparisonView>), Error> {
    let [mut a, mut b] = analyze_pair([a, b], options, true)?;
    let (comparison, nodes) = pair(&a, &b, options)?;
    let view = nodes.map(|nodes| {
        let views = (std::mem::take(&mut a.extras.view), std::mem::take(&mut b.extras.view));
        view(views, (&a.extras.order, &b.extras.order), &nodes)
    });
    Ok((comparison, view))
}

/// Compares the first model with each of the others; each is analyzed once.
///
/// # Errors
///
/// Those of [`Model::analyze`], and [`Error::Cycle`].
pub fn compare_each(models: &[Compared<'_>], options: &Options) -> Result<Vec<Comparison>, Error> {
    refuse_unknown_sizes(models, options)?;
    let Some((first, others)) = models.split_first() else { return Ok(Vec::new()) };
    let first = analyze(*first, "A", options, false)?;
    let letters = ('B'..='Z').map(String::from).chain((27_u64..).map(|n| format!("model {n}")));
    let compared = others.iter().zip(letters).map(|(other, word)| {
        let other = analyze(*other, &word, options, false)?;
        pair(&first, &other, options).map(|(comparison, _)| comparison)
    });
    compared.collect()
}

/// Analyzes both sides, at once where there are two processors.
fn analyze_pair<'a>(
    sides: [Compared<'a>; 2],
    options: &Options,
    with_view: bool,
) -> Result<[Analyzed<'a>; 2], Error> {
    refuse_unknown_sizes(&sides, options)?;
    let [first, second] = sides;
    std::thread::scope(|scope| {
        let other = scope.spawn(|| analyze(second, "B", options, with_view));
        let first = analyze(first, "A", options, with_view)?;
        match other.join() {
            Ok(second) => Ok([first, second?]),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Analyzes one side. `word` is its name where names are not shown.
pub(crate) fn analyze<'a>(
    side: Compared<'a>,
    word: &str,
    options: &Options,
    with_view: bool,
) -> Result<Analyzed<'a>, Error> {
    let model = match side {
        Compared::Model(model) => model,
        Compared::Report(report) => {
            return Ok(Analyzed {
                label: report.model.file.clone(),
                report: report.clone(),
                named: None,
                model: None,
                extras: Extras::default(),
            });
        }
    };
    // What the weights hold is compared element by element, not by their statistics.
    let mut options = options.clone().weights(false);
    options.bindings = bindings_of(model, &options.bindings);
    let mut extras = Extras { with_view, with_outline: true, ..Extras::default() };
    let report = model.run(&options, &mut extras)?;
    let (label, named) = match options.redact_names {
        true => {
            let named = model.run(&options.clone().redact_names(false), &mut Extras::default())?;
            (word.to_owned(), Some(named))
        }
        false => (report.model.file.clone(), None),
    };
    let unordered: usize = model.as_written().graphs().map(|(_, graph)| graph.cyclic.len()).sum();
    if unordered > 0 {
        let nodes = calipers_report::units::counted(unordered as u64, "node is", "nodes are");
        return Err(Error::Cycle { label, nodes });
    }
    Ok(Analyzed { label, report, named, model: Some(model), extras })
}

/// The matched nodes, for the graphs of the page.
struct Nodes {
    pairs: Vec<(NodeId, NodeId)>,
    changes: Changes,
}

/// Compares two sides that were analyzed.
fn pair(
    a: &Analyzed<'_>,
    b: &Analyzed<'_>,
    options: &Options,
) -> Result<(Comparison, Option<Nodes>), Error> {
    let (Some(model_a), Some(model_b)) = (a.model, b.model) else {
        return Ok((calipers_compare::compare(a.side(), b.side(), None, None, None).0, None));
    };
    if options.weights {
        [model_a, model_b]
            .into_iter()
            .try_for_each(|model| model.check_local("its weights are not compared"))?;
    }
    let (data_a, data_b) = match options.weights {
        true => (model_a.data(), model_b.data()),
        false => (Vec::new(), Vec::new()),
    };
    // Names as the file has them decide between alike nodes; what is shown comes after.
    let (written_a, written_b) = (model_a.as_written(), model_b.as_written());
    let digests = |model, data: &[_]| match options.weights {
        true => calipers_compare::weights::sample_digests(model, data),
        false => Default::default(),
    };
    let (digests_a, digests_b) = (digests(written_a, &data_a), digests(written_b, &data_b));
    let digest_a = |tensor: TensorId| digests_a.get(&tensor).copied();
    let digest_b = |tensor: TensorId| digests_b.get(&tensor).copied();
    let alignment = align(
        Subject { model: written_a, digest: &digest_a },
        Subject { model: written_b, digest: &digest_b },
    );
    let shown_a = model_a.as_shown(options);
    let shown_b = model_b.as_shown(options);
    let weights = options.weights.then(|| {
        let side = |model, files| calipers_compare::weights::Side { model, files };
        let limit = options.max_weight_bytes.unwrap_or(calipers_measure::MAX_WEIGHT_BYTES);
        calipers_compare::weights::compare(
            side(shown_a, &data_a),
            side(shown_b, &data_b),
            &alignment,
            limit,
            &|read, total| {
                if let Some(progress) = &options.progress {
                    progress(read, total);
                }
            },
        )
    });
    for source in [&shown_a.source, &shown_b.source] {
        check_whole(source)?;
    }
    data_a.iter().chain(&data_b).flatten().try_for_each(check_whole)?;
    let graphs = Graphs {
        a: Graph { model: shown_a, outline: &a.extras.outline },
        b: Graph { model: shown_b, outline: &b.extras.outline },
        alignment: &alignment,
    };
    let is_stored = |model: &calipers_ir::Model| model.header.graph_origin == GraphOrigin::Stored;
    let graphs = Some(graphs).filter(|_| is_stored(shown_a) && is_stored(shown_b));
    let has_graphs = graphs.is_some();
    let tensors = calipers_compare::tensors::is_needed(shown_a, shown_b)
        .then(|| calipers_compare::tensors::matched(shown_a, shown_b));
    let (comparison, changes) =
        calipers_compare::compare(a.side(), b.side(), graphs, weights, tensors);
    if !has_graphs {
        return Ok((comparison, None));
    }
    let pairs = alignment.pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    Ok((comparison, Some(Nodes { pairs, changes })))
}

/// Both graphs with what became of their nodes.
fn view(
    views: (GraphView, GraphView),
    orders: (&[NodeId], &[NodeId]),
    nodes: &Nodes,
) -> ComparisonView {
    let places = |order: &[NodeId]| -> std::collections::HashMap<NodeId, usize> {
        order.iter().enumerate().map(|(place, node)| (*node, place)).collect()
    };
    let (places_a, places_b) = (places(orders.0), places(orders.1));
    let (at_a, at_b) = (|node| places_a.get(&node).copied(), |node| places_b.get(&node).copied());
    let mut view = ComparisonView {
        status_a: vec![NodeStatus::Same; orders.0.len()],
        status_b: vec![NodeStatus::Same; orders.1.len()],
        pairs: nodes.pairs.iter().filter_map(|(a, b)| Some((at_a(*a)?, at_b(*b)?))).collect(),
        ..ComparisonView::default()
    };
    (view.a, view.b) = views;
    // A node of a graph that is nested too deep for the view is listed without a place in it.
    let missing = usize::MAX;
    for node in &nodes.changes.removed {
        let place = at_a(*node).unwrap_or(missing);
        view.removed.push(place);
        view.status_a.get_mut(place).into_iter().for_each(|status| *status = NodeStatus::Removed);
    }
    for node in &nodes.changes.added {
        let place = at_b(*node).unwrap_or(missing);
        view.added.push(place);
        view.status_b.get_mut(place).into_iter().for_each(|status| *status = NodeStatus::Added);
    }
    for (a, b, _) in &nodes.changes.changed {
        let (a, b) = (at_a(*a).unwrap_or(missing), at_b(*b).unwrap_or(missing));
        view.changed.push((a, b));
        view.status_a.get_mut(a).into_iter().for_each(|status| *status = NodeStatus::Changed);
        view.status_b.get_mut(b).into_iter().for_each(|status| *status = NodeStatus::Changed);
    }
    view
}

/// The sizes that a model has a name for. Models that are compared may name their dimensions
/// otherwise.
fn bindings_of(model: &Model, bindings: &Bindings) -> Bindings {
    let model = model.as_written();
    let names = calipers_infer::free_names(model);
    let inputs: Vec<&str> =
        model.main().inputs.iter().map(|input| model.name(model.value(*input).name)).collect();
    let Bindings { dims, inputs: shapes, values } = bindings.clone();
    Bindings {
        dims: dims.into_iter().filter(|(name, _)| names.contains(name)).collect(),
        inputs: shapes.into_iter().filter(|(name, _)| inputs.contains(&name.as_str())).collect(),
        values: values.into_iter().filter(|(name, _)| inputs.contains(&name.as_str())).collect(),
    }
}

/// Refuses sizes that no model has a name for.
pub(crate) fn refuse_unknown_sizes(sides: &[Compared<'_>], options: &Options) -> Result<(), Error> {
    let models: Vec<&Model> = sides
        .iter()
        .filter_map(|side| match side {
            Compared::Model(model) => Some(*model),
            Compared::Report(_) => None,
        })
        .collect();
    let taken: Vec<Bindings> =
        models.iter().map(|model| bindings_of(model, &options.bindings)).collect();
    let Bindings { dims, inputs, values } = &options.bindings;
    let unknown = Bindings {
        dims: dims
            .iter()
            .filter(|(name, _)| !taken.iter().any(|taken| taken.dims.contains_key(*name)))
            .map(|(name, size)| (name.clone(), *size))
            .collect(),
        inputs: inputs
            .iter()
            .filter(|(name, _)| !taken.iter().any(|taken| taken.inputs.contains_key(*name)))
            .map(|(name, shape)| (name.clone(), shape.clone()))
            .collect(),
        values: values
            .iter()
            .filter(|(name, _)| !taken.iter().any(|taken| taken.values.contains_key(*name)))
            .map(|(name, elements)| (name.clone(), elements.clone()))
            .collect(),
    };
    let is_known =
        unknown.dims.is_empty() && unknown.inputs.is_empty() && unknown.values.is_empty();
    match models.last() {
        // The message of the last model names what it has.
        Some(model) if !is_known => {
            calipers_infer::infer_shapes(model.as_written(), &unknown)?;
            Ok(())
        }
        _ => Ok(()),
    }
}
