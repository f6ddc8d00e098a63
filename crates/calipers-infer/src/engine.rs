//! The walk: every node once, in order of execution.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use calipers_ir::{FunctionId, GraphId, Model, NodeId, OpsetImport, Span, TypeId, ValueId};
use calipers_ops::{
    CostRule, Fact, Fail, NewDimensions, OpContext, Operator, Outcome, Reason, canonical_domain,
};
use calipers_sym::{Expr, Symbol};

use super::attributes::{Frame, NodeAttributes};
use super::bind::Sizes;
use super::remembered::{Known, Remembered};
use super::total_cost::{self, CostTotal, Sum};
use super::{Contradiction, DataDimension, Typed, blocks, declared, operands, stored};
use crate::walk::{ResolvedKind, ResolvedOps};

/// Graphs nested deeper than this are not looked into: no exporter makes them, and each level
/// costs stack.
const MAX_NESTING: usize = 48;

/// Nodes that may be looked at for each node of the model: loops and functions are looked into
/// again, and a hostile file must not make that grow without end.
const MAX_LOOKS: usize = 64;

/// Elements that are held over the whole walk. Real models compute their shapes from far fewer;
/// a hostile one could otherwise fill the memory with copies.
const MAX_HELD: usize = 1 << 20;

/// Files below this may stay in memory whole.
const LARGE_FILE: u64 = 1 << 24;

/// Small tensors of a large file that are read before their pages are let go.
const READS: usize = 4;

/// Dimensions of one tensor. Operators that add ranks could otherwise double them at every node.
const MAX_RANK: usize = 256;

/// Dimensions that the data decides.
#[derive(Debug, Default)]
pub(super) struct DataDimensions {
    made: Vec<DataDimension>,
    names: std::collections::HashSet<String>,
    /// The node that is being looked at, for names.
    label: String,
}

impl DataDimensions {
    pub(super) fn is_data_dependent(&self, expr: &Expr) -> bool {
        expr.symbols().iter().any(|symbol| self.names.contains(symbol.name()))
    }

    /// How many there are, for [`reset`](Self::reset).
    pub(super) fn mark(&self) -> usize {
        self.made.len()
    }

    /// Forgets those made since a mark.
    pub(super) fn reset(&mut self, mark: usize) {
        for made in self.made.drain(mark..) {
            self.names.remove(&made.name);
        }
    }
}

impl NewDimensions for DataDimensions {
    fn fresh(&mut self, why: &str) -> Expr {
        let name = format!("{}_{}", self.label, self.made.len());
        self.made.push(DataDimension { name: name.clone(), why: why.to_owned() });
        let symbol = Symbol::new(name.as_str());
        self.names.insert(name);
        Expr::symbol(&symbol)
    }
}

/// An inference in progress.
pub(super) struct Engine<'a> {
    pub(super) model: &'a Model,
    resolved: ResolvedOps,
    sizes: Sizes,
    pub(super) facts: Vec<Fact>,
    pub(super) fresh: DataDimensions,
    contradictions: Vec<Contradiction>,
    looks_left: usize,
    elements_left: usize,
    pub(super) nesting: usize,
    open_functions: Vec<FunctionId>,
    memo: HashMap<FunctionId, Vec<Memo>>,
    /// What the graphs inside the node that is being looked at cost.
    pub(super) inner: CostTotal,
    /// What each node cost when it was looked at last, or why that is not known.
    costs: Vec<Option<Result<Arc<CostTotal>, Reason>>>,
    remembered: Remembered,
    byte_sizes: total_cost::Sizes,
    /// The cost of what costs nothing, shared.
    nothing: Arc<CostTotal>,
    /// Nodes whose bytes could not be determined.
    without_bytes: BTreeSet<NodeId>,
    /// Whether costs are asked for at all.
    costing: bool,
    /// Choices that the costs rest on.
    pub(super) notes: BTreeSet<&'static str>,
}

/// What a function gave for some inputs. A call with attributes is not remembered.
struct Memo {
    inputs: Vec<Option<Fact>>,
    outputs: Vec<Fact>,
    cost: CostTotal,
}

/// Results that are remembered of one function.
const MAX_MEMOS: usize = 64;

impl<'a> Engine<'a> {
    pub(super) fn new(model: &'a Model, costing: bool) -> Self {
        let nothing: Reason = Arc::from("nothing defines it");
        Self {
            model,
            resolved: ResolvedOps::find(model),
            sizes: Sizes::new(),
            facts: vec![Fact::Unknown(nothing); model.values().len()],
            fresh: DataDimensions::default(),
            contradictions: Vec::new(),
            looks_left: model.nodes().len().saturating_mul(MAX_LOOKS).saturating_add(10_000),
            elements_left: MAX_HELD,
            nesting: 0,
            open_functions: Vec::new(),
            memo: HashMap::new(),
            inner: CostTotal::default(),
            costs: vec![None; model.nodes().len()],
            costing,
            remembered: Remembered::default(),
            byte_sizes: total_cost::Sizes::default(),
            nothing: Arc::default(),
            without_bytes: BTreeSet::new(),
            notes: BTreeSet::new(),
        }
    }

    pub(super) fn run(mut self, (inputs, sizes): (Vec<(ValueId, Fact)>, Sizes)) -> Typed {
        self.sizes = sizes;
        self.fill_initializers();
        for (value, fact) in inputs {
            self.facts[value.index()] = fact;
        }
        let total = self.graph(self.model.main_id(), None);
        Typed {
            facts: self.facts,
            costs: self.costs,
            total,
            notes: self.notes.into_iter().collect(),
            without_bytes: self.without_bytes.len() as u64,
            fresh: self.fresh.made,
            contradictions: self.contradictions,
        }
    }

    /// Looks into a graph whose inputs are known, as far as they can be.
    pub(super) fn graph(&mut self, id: GraphId, frame: Option<&Frame<'_>>) -> CostTotal {
        let mut total = Sum::default();
        for node in &self.model.graph(id).order {
            self.inner = CostTotal::default();
            self.node(*node, frame);
            if let Some(Ok(cost)) = &self.costs[node.index()] {
                total.add(cost);
            }
        }
        total.finish()
    }

    /// Facts of all values that stored tensors fill. They never change.
    fn fill_initializers(&mut self) {
        let model = self.model;
        let mut read = 0_usize;
        for (id, value) in model.values() {
            let dense = value.initializer.map(|t| Fact::Tensor(stored::tensor_fact(model, t)));
            let sparse = || stored::sparse_fact(model, value.sparse_initializer?);
            if let Some(fact) = dense.or_else(|| sparse().map(Fact::SparseTensor)) {
                read += usize::from(fact.as_tensor().is_some_and(|tensor| tensor.value.is_some()));
                self.facts[id.index()] = fact;
                // Small tensors lie scattered between weights, and each one read can map two
                // megabytes of them.
                if model.header.bytes > LARGE_FILE && read >= READS {
                    model.source.release(Span { start: 0, end: model.header.bytes });
                    read = 0;
                }
            }
        }
    }

    fn node(&mut self, id: NodeId, frame: Option<&Frame<'_>>) {
        let model = self.model;
        let inputs: Vec<Option<Fact>> = model
            .inputs(id)
            .iter()
            .map(|input| input.map(|value| self.facts[value.index()].clone()))
            .collect();
        let expected = operands::expected(model, id, &inputs);
        let mut outcome = self.evaluate(id, &expected, frame);
        if let Ok(facts) = &mut outcome {
            operands::put_back(model, id, facts);
        }
        let failed = outcome.as_ref().err().map(Fail::reason);
        let (facts, reason): (Vec<Fact>, Reason) = match outcome {
            Ok(facts) => (facts, Arc::from("its rule does not say")),
            Err(Fail::Unknown(reason)) => (Vec::new(), reason),
            Err(Fail::Contradiction(what)) => {
                self.contradictions.push(Contradiction {
                    node: Some(id),
                    value: None,
                    what: Arc::clone(&what),
                });
                (Vec::new(), what)
            }
        };
        let mut facts = facts.into_iter();
        let mut defined = Vec::with_capacity(model.outputs(id).len());
        let least_rank = self.broadcast_rank(id, &inputs);
        for output in model.outputs(id) {
            let fact = facts.next().unwrap_or_else(|| Fact::Unknown(Arc::clone(&reason)));
            if let Some(output) = output {
                self.define(*output, fact, least_rank);
                defined.push(self.facts[output.index()].clone());
            } else {
                defined.push(fact);
            }
        }
        if self.costing {
            let cost = self.cost(id, &inputs, &defined, failed, frame);
            self.costs[id.index()] = Some(cost);
        }
    }

    /// What a node costs, with the graphs inside it.
    fn cost(
        &mut self,
        id: NodeId,
        inputs: &[Option<Fact>],
        outputs: &[Fact],
        failed: Option<Reason>,
        frame: Option<&Frame<'_>>,
    ) -> Result<Arc<CostTotal>, Reason> {
        let model = self.model;
        let op = model.name(model.node(id).op);
        // What the graphs inside cost is known only when they could be looked into.
        let inner = std::mem::take(&mut self.inner);
        let inside = || failed.map_or(Ok(Arc::new(inner)), Err);
        let row = match self.resolved.get(id).kind {
            ResolvedKind::Operator(row) => row,
            ResolvedKind::Call(_) => return inside(),
            _ => return Err(format!("Calipers does not know the operator {op}").into()),
        };
        let Some(rule) = row.cost else {
            return match row.rule {
                None => inside(),
                Some(_) => Err(format!("nothing says what {op} costs").into()),
            };
        };
        // Facts of the main graph stay as they are, so a call there can be compared later.
        let main = self.nesting == 0 && frame.is_none();
        let hash = main
            .then(|| self.remembered.hash(row, model.attributes(id), inputs, outputs))
            .flatten();
        let met = hash.and_then(|hash| self.remembered.find(hash, id, model, &self.facts));
        let known = match met {
            Some(known) => known,
            None => {
                let known = self.work_out(id, (row, rule), inputs, outputs, frame);
                if let Some(hash) = hash {
                    self.remembered.insert(hash, id, known.clone());
                }
                known
            }
        }?;
        if !known.with_bytes {
            self.without_bytes.insert(id);
        }
        Ok(known.total_cost)
    }

    /// What a call costs, asked of its rule.
    fn work_out(
        &mut self,
        node: NodeId,
        (row, rule): (&Operator, CostRule),
        inputs: &[Option<Fact>],
        outputs: &[Fact],
        frame: Option<&Frame<'_>>,
    ) -> Result<Known, Reason> {
        let model = self.model;
        let op = model.name(model.node(node).op);
        let attributes = NodeAttributes { model, node, frame };
        let version = self.opset_of(node, frame);
        let expected = operands::expected(model, node, inputs);
        let results = operands::expected_outputs(model, node, outputs);
        let call =
            OpContext::new(op, version, outputs.len(), &expected, &attributes, &mut self.fresh);
        let work = match rule(&call, &results) {
            Ok(work) => work,
            Err(Fail::Unknown(reason) | Fail::Contradiction(reason)) => return Err(reason),
        };
        if let Some(reason) = work.macs.undefined_reason().or(work.other_flops.undefined_reason()) {
            return Err(reason.into());
        }
        // Texts and open shapes have no bytes that can be determined. The arithmetic counts all the same,
        // and the report says how many nodes the bytes lack.
        let bytes = self.byte_sizes.moved(row, inputs, outputs);
        let with_bytes = bytes.is_some();
        let total_cost = CostTotal::new(work, bytes.unwrap_or(Expr::ZERO));
        let free = total_cost == *self.nothing;
        let total_cost = if free { Arc::clone(&self.nothing) } else { Arc::new(total_cost) };
        Ok(Known { total_cost, with_bytes })
    }

    /// The fewest dimensions that the outputs of an element-wise node have: operands are broadcast
    /// to the longest of their shapes.
    fn broadcast_rank(&self, id: NodeId, inputs: &[Option<Fact>]) -> usize {
        let ResolvedKind::Operator(row) = self.resolved.get(id).kind else { return 0 };
        if !row.traits.is_elementwise() {
            return 0;
        }
        inputs.iter().flatten().filter_map(|fact| fact.as_tensor()?.rank()).max().unwrap_or(0)
    }

    /// Takes a fact for a value, together with what the file declares of it, unless that has fewer
    /// dimensions than `least_rank`.
    fn define(&mut self, value: ValueId, fact: Fact, least_rank: usize) {
        let fact = match self.model.value(value).ty {
            Some(ty) => {
                let mut declared = self.declared_fact(ty);
                if let Fact::Tensor(tensor) = &mut declared
                    && tensor.rank().is_some_and(|rank| rank < least_rank)
                    && fact.as_tensor().is_none_or(|tensor| tensor.shape.is_err())
                {
                    let why = "the declared shape has fewer dimensions than the inputs";
                    tensor.shape = Err(Reason::from(why));
                }
                let (fact, wrong) = declared::reconcile(fact, &declared, &|expr| {
                    self.fresh.is_data_dependent(expr)
                });
                let fact = self.named(fact);
                if let Some(what) = wrong {
                    self.contradictions.push(Contradiction {
                        node: None,
                        value: Some(value),
                        what: what.into(),
                    });
                }
                fact
            }
            None => fact,
        };
        self.facts[value.index()] = self.bounded(fact);
    }

    /// The same fact, kept within what a walk may hold.
    fn bounded(&mut self, fact: Fact) -> Fact {
        let Fact::Tensor(mut tensor) = fact else { return fact };
        if tensor.rank().is_some_and(|rank| rank > MAX_RANK) {
            tensor.shape = Err(format!("it has more than {MAX_RANK} dimensions").into());
            tensor.value = None;
        }
        let held = tensor.value.as_ref().map_or(0, |value| value.len());
        match self.elements_left.checked_sub(held) {
            Some(left) => self.elements_left = left,
            None => tensor.value = None,
        }
        Fact::Tensor(tensor)
    }

    /// A declared type, with what is bound filled in. Open dimensions are undefined.
    fn declared_fact(&self, ty: TypeId) -> Fact {
        let open = |_| Expr::undefined("the file leaves it open");
        declared::substitute(declared::fact(self.model, ty, &open), &self.sizes)
    }

    /// The same fact with a name for every dimension that has none.
    fn named(&mut self, fact: Fact) -> Fact {
        match fact {
            Fact::Tensor(mut tensor)
                if tensor.dims().is_some_and(|dims| dims.iter().any(Expr::is_undefined)) =>
            {
                let named = |dim: &Expr| match dim.undefined_reason() {
                    Some(why) => self.fresh.fresh(why),
                    None => dim.clone(),
                };
                tensor.shape = tensor.shape.map(|dims| dims.iter().map(named).collect());
                Fact::Tensor(tensor)
            }
            other => other,
        }
    }

    fn evaluate(
        &mut self,
        id: NodeId,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let Some(left) = self.looks_left.checked_sub(1) else {
            return Err(Fail::unknown("the model repeats itself more than is looked into"));
        };
        self.looks_left = left;
        let model = self.model;
        let node = model.node(id);
        let op = model.name(node.op);
        match self.resolved.get(id).kind {
            ResolvedKind::Call(function) => self.call(id, function, inputs, frame),
            ResolvedKind::Operator(row) => match row.rule {
                Some(rule) => {
                    let attributes = NodeAttributes { model, node: id, frame };
                    let version = self.opset_of(id, frame);
                    self.fresh.label = op.to_owned();
                    let outputs = model.outputs(id).len();
                    let mut call =
                        OpContext::new(op, version, outputs, inputs, &attributes, &mut self.fresh);
                    let mut outcome = rule(&mut call);
                    if let Ok([fact]) = outcome.as_deref_mut()
                        && blocks::makes_blocks(model, id)
                    {
                        blocks::settle(model, &self.facts, id, fact);
                    }
                    outcome
                }
                None => self.control(id, op, inputs, frame),
            },
            ResolvedKind::Plain => {
                Err(Fail::unknown(format!("{op} is not an operator that Calipers knows")))
            }
            ResolvedKind::Foreign if !model.header.format.is_onnx() => {
                let op = model.written_op(id);
                Err(Fail::unknown(format!("{op} is not an operator that Calipers knows")))
            }
            ResolvedKind::Foreign => {
                let domain = model.name(node.domain);
                Err(Fail::unknown(format!(
                    "{domain}.{op} is of a domain that Calipers does not know"
                )))
            }
        }
    }

    /// Version of the operator set that holds for a node.
    pub(super) fn opset_of(&self, id: NodeId, frame: Option<&Frame<'_>>) -> i64 {
        let model = self.model;
        let domain = canonical_domain(model.name(model.node(id).domain));
        let of = |imports: &[OpsetImport]| {
            let same =
                |import: &&OpsetImport| canonical_domain(model.name(import.domain)) == domain;
            imports.iter().filter(same).map(|import| import.version).max()
        };
        let own = frame.and_then(|frame| of(&model.function(frame.function).opsets));
        own.or_else(|| of(&model.header.opsets)).unwrap_or(i64::MAX)
    }

    /// Looks into a function with what is known of the call's inputs.
    fn call(
        &mut self,
        id: NodeId,
        function: FunctionId,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let plain = self.model.attributes(id).is_empty();
        if let Some(memos) = self.memo.get(&function)
            && plain
            && let Some(memo) = memos.iter().find(|memo| memo.inputs == inputs)
        {
            self.inner = memo.cost.clone();
            return Ok(memo.outputs.clone());
        }
        if self.open_functions.contains(&function) {
            return Err(Fail::contradiction("the function calls itself"));
        }
        let body = self.model.function(function).body;
        self.enter()?;
        self.open_functions.push(function);
        for (index, input) in self.model.graph(body).inputs.iter().enumerate() {
            let given = inputs.get(index).cloned().flatten();
            self.facts[input.index()] =
                given.unwrap_or_else(|| Fact::unknown("the call leaves this input out"));
        }
        let cost = self.graph(body, Some(&Frame { caller: id, function, outer: frame }));
        self.open_functions.pop();
        self.nesting -= 1;
        let outputs: Vec<Fact> = self.outputs_of(body);
        if plain {
            let memos = self.memo.entry(function).or_default();
            if memos.len() < MAX_MEMOS {
                let (inputs, outputs) = (inputs.to_vec(), outputs.clone());
                memos.push(Memo { inputs, outputs, cost: cost.clone() });
            }
        }
        self.inner = cost;
        Ok(outputs)
    }

    /// Does something whose contradictions do not matter, since it never runs.
    pub(super) fn unheard<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let heard = self.contradictions.len();
        let result = look(self);
        self.contradictions.truncate(heard);
        result
    }

    /// Goes one graph deeper, if that is not too deep.
    pub(super) fn enter(&mut self) -> Result<(), Fail> {
        if self.nesting >= MAX_NESTING {
            return Err(Fail::unknown(format!("it is nested deeper than {MAX_NESTING} graphs")));
        }
        self.nesting += 1;
        Ok(())
    }

    /// What is known of a graph's outputs.
    pub(super) fn outputs_of(&self, graph: GraphId) -> Vec<Fact> {
        let outputs = &self.model.graph(graph).outputs;
        outputs.iter().map(|value| self.facts[value.index()].clone()).collect()
    }

    /// A dimension that nothing is known of.
    pub(super) fn data_dependent_dim(&mut self, label: &str, why: &str) -> Expr {
        label.clone_into(&mut self.fresh.label);
        self.fresh.fresh(why)
    }
}
