//! The graph that a configuration describes: calls of layers, and the values between them.
//!
//! A model may be a layer of another model, and is taken apart into its own layers wherever it is
//! called. What a call returns is looked up by the layer, the call and the place of the output,
//! since configurations list layers in any order.

mod arguments;
mod entry;
mod expand;

use std::collections::HashMap;

pub(super) use arguments::{Argument, Shape};
pub(super) use expand::network;
use serde_json::Value;

use super::json::Config;
use super::weights::Holder;

/// A value, by its place in [`Network::values`].
pub(super) type ValueId = usize;

/// Calls of layers that a model may have, in all models inside it.
const MAX_CALLS: usize = 1 << 17;

/// Values of configurations that are read: those of a model each time it is called.
const MAX_READ: usize = 1 << 23;

/// Models inside models.
const MAX_DEPTH: usize = 16;

/// A layer: shared by all of its calls.
#[derive(Debug)]
pub(super) struct Layer<'c> {
    /// Its class, as written.
    pub(super) class: &'c str,
    /// Where the class is defined; empty in older versions.
    pub(super) module: &'c str,
    /// Its name, after those of the models that it is in.
    pub(super) name: String,
    pub(super) config: Config<'c>,
    /// The shape that it was built for.
    pub(super) built_for: Option<Shape>,
    /// Where its weights are.
    pub(super) holder: Holder,
}

/// A call of a layer.
#[derive(Debug)]
pub(super) struct LayerCall {
    /// The layer, by its place.
    pub(super) layer: usize,
    /// The name of the call: that of the layer, and its number where there are several.
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
    pub(super) named: Vec<(String, Argument)>,
    pub(super) outputs: Vec<ValueId>,
}

/// A value between calls.
#[derive(Debug, Default)]
pub(super) struct NetworkValue {
    /// Its name.
    pub(super) name: String,
    /// The value that it is another name of: outputs of models are those of layers inside.
    same_as: Option<ValueId>,
    /// Its shape, where the file states it.
    pub(super) shape: Option<Shape>,
}

/// The graph.
#[derive(Debug, Default)]
pub(super) struct Network<'c> {
    pub(super) layers: Vec<Layer<'c>>,
    pub(super) calls: Vec<LayerCall>,
    pub(super) values: Vec<NetworkValue>,
    pub(super) inputs: Vec<ValueId>,
    pub(super) outputs: Vec<ValueId>,
    known_layers: HashMap<*const Value, usize>,
    /// How many values a configuration has, itself included.
    sizes: HashMap<*const Value, usize>,
    read: usize,
}

/// Whether a configuration is that of a model, with layers of its own.
pub(super) fn layers_of(config: &Value) -> Option<&Vec<Value>> {
    let layers = match config {
        // The first version of Sequential is a list of layers.
        Value::Array(layers) => layers,
        _ => config.get("layers")?.as_array()?,
    };
    let is_layer = |layer: &Value| layer.get("class_name").is_some_and(Value::is_string);
    (!layers.is_empty() && layers.iter().all(is_layer)).then_some(layers)
}

impl Network<'_> {
    /// The value that a value is another name of.
    pub(super) fn resolve(&mut self, value: ValueId) -> ValueId {
        let mut last = value;
        // A circle of names ends somewhere in it.
        for _ in 0..=self.values.len() {
            match self.values.get(last).and_then(|value| value.same_as) {
                Some(next) if next != value => last = next,
                _ => break,
            }
        }
        // The chain is cut short, so that walking it again is cheap.
        let mut at = value;
        while at != last
            && let Some(value) = self.values.get_mut(at)
            && let Some(next) = value.same_as.replace(last)
        {
            at = next;
        }
        if let Some(value) = self.values.get_mut(last) {
            value.same_as = None;
        }
        last
    }

    /// Replaces names by what they are names of, everywhere.
    fn settle(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        for call in &mut calls {
            let named = call.named.iter_mut().map(|(_, argument)| argument);
            for argument in call.arguments.iter_mut().chain(named) {
                argument.each_value(&mut |value| *value = self.resolve(*value));
            }
        }
        self.calls = calls;
        let mut outputs = std::mem::take(&mut self.outputs);
        outputs.iter_mut().for_each(|value| *value = self.resolve(*value));
        self.outputs = outputs;
    }

    /// The calls in an order in which values are computed before they are used, as far as there is
    /// one.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut producers = HashMap::new();
        for (place, call) in self.calls.iter().enumerate() {
            producers.extend(call.outputs.iter().map(|output| (*output, place)));
        }
        let mut waiting = vec![0_usize; self.calls.len()];
        let mut followers: Vec<Vec<usize>> = vec![Vec::new(); self.calls.len()];
        for (place, call) in self.calls.iter().enumerate() {
            for value in call.values() {
                if let Some(producer) = producers.get(&value)
                    && let Some(followers) = followers.get_mut(*producer)
                    && let Some(waiting) = waiting.get_mut(place)
                {
                    followers.push(place);
                    *waiting += 1;
                }
            }
        }
        let mut ready: std::collections::VecDeque<usize> =
            (0..self.calls.len()).filter(|place| waiting.get(*place) == Some(&0)).collect();
        let mut order = Vec::with_capacity(self.calls.len());
        while let Some(place) = ready.pop_front() {
            order.push(place);
            for follower in followers.get(place).into_iter().flatten() {
                if let Some(waiting) = waiting.get_mut(*follower) {
                    *waiting -= 1;
                    if *waiting == 0 {
                        ready.push_back(*follower);
                    }
                }
            }
        }
        // What waits for itself comes last: the graph says so, and is reported as it is.
        order.extend((0..self.calls.len()).filter(|place| waiting.get(*place) != Some(&0)));
        order
    }
}

impl LayerCall {
    /// Every value that the call is given.
    pub(super) fn values(&self) -> Vec<ValueId> {
        let mut values = Vec::new();
        let named = self.named.iter().map(|(_, argument)| argument);
        for argument in self.arguments.iter().chain(named) {
            argument.collect(&mut values);
        }
        values
    }
}
