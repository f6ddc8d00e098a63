//! Taking a model apart into calls of layers, and the models in it too.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::arguments::{Argument, Reference, argument, listed};
use super::entry::{Entry, built_for, entry, input_shape, size};
use super::{
    Layer, LayerCall, MAX_CALLS, MAX_DEPTH, MAX_READ, Network, NetworkValue, ValueId, layers_of,
};
use crate::keras::json::Config;
use crate::keras::weights::{Container, Weights};

/// Reads the graph of a model's configuration.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn network<'c>(config: &'c Value, weights: &Weights) -> Result<Network<'c>, String> {
    let mut network = Network::default();
    let scope = Scope { prefix: String::new(), container: weights.root(), depth: 0 };
    let outputs = network.expand(config, &scope, weights, None)?;
    network.outputs = outputs;
    network.settle();
    Ok(network)
}

/// Where a model is that is taken apart.
struct Scope {
    /// The names of the models around it, with a slash behind each.
    prefix: String,
    /// Where the weights of its layers are.
    container: Container,
    depth: usize,
}

/// What calls return, by layer, call and place.
type Returned<'c> = BTreeMap<(&'c str, usize, usize), ValueId>;

impl<'c> Network<'c> {
    fn add_value(&mut self, name: String) -> Result<ValueId, String> {
        if self.values.len() >= MAX_CALLS * 2 {
            return Err("the model has more layers than any real one".to_owned());
        }
        self.values.push(NetworkValue { name, ..NetworkValue::default() });
        Ok(self.values.len() - 1)
    }

    /// Counts a configuration as read once more.
    fn charge(&mut self, config: &'c Value) -> Result<(), String> {
        let size = *self.sizes.entry(std::ptr::from_ref(config)).or_insert_with(|| size(config));
        self.read = self.read.saturating_add(size);
        match self.read > MAX_READ {
            true => {
                Err("models inside models are called more often than in any real one".to_owned())
            }
            false => Ok(()),
        }
    }

    /// Adds the calls of a model's layers, and returns its outputs. `given` are the values that it
    /// is called with, where it is a layer itself.
    fn expand(
        &mut self,
        config: &'c Value,
        scope: &Scope,
        weights: &Weights,
        given: Option<&[ValueId]>,
    ) -> Result<Vec<ValueId>, String> {
        if scope.depth > MAX_DEPTH {
            return Err("models inside models are nested too deeply".to_owned());
        }
        self.charge(config)?;
        let Some(layers) = layers_of(config) else {
            return Err("the configuration describes no layers".to_owned());
        };
        let mut container = scope.container.clone();
        let entries: Vec<Entry<'c>> = layers.iter().map(entry).collect();
        match entries.iter().any(|entry| entry.whole.get("inbound_nodes").is_some()) {
            true => self.functional(config, &entries, scope, &mut container, weights, given),
            false => self.sequential(&entries, scope, &mut container, weights, given),
        }
    }

    /// A chain of layers.
    fn sequential(
        &mut self,
        entries: &[Entry<'c>],
        scope: &Scope,
        container: &mut Container,
        weights: &Weights,
        given: Option<&[ValueId]>,
    ) -> Result<Vec<ValueId>, String> {
        let mut value = given.and_then(|given| given.first().copied());
        for entry in entries {
            let input = input_shape(entry.config);
            let is_input = entry.class == "InputLayer";
            if value.is_none() {
                let name = if is_input { entry.name.to_owned() } else { "input".to_owned() };
                let added = self.add_value(format!("{}{name}", scope.prefix))?;
                let built = || built_for(entry.whole);
                self.values[added].shape = input.or_else(built);
                self.inputs.push(added);
                value = Some(added);
            }
            let (false, Some(from)) = (is_input, value) else { continue };
            let arguments = vec![Argument::Value(from)];
            let outputs = self.call(entry, 0, arguments, Vec::new(), scope, container, weights)?;
            value = match outputs {
                Returns::Layer(call) => {
                    let output = self.add_value(self.calls[call].name.clone())?;
                    self.calls[call].outputs.push(output);
                    Some(output)
                }
                Returns::Model(outputs) => outputs.first().copied(),
            };
        }
        Ok(value.into_iter().collect())
    }

    /// Layers that state what each of their calls is given.
    fn functional(
        &mut self,
        config: &'c Value,
        entries: &[Entry<'c>],
        scope: &Scope,
        container: &mut Container,
        weights: &Weights,
        given: Option<&[ValueId]>,
    ) -> Result<Vec<ValueId>, String> {
        let names: HashMap<&str, usize> =
            entries.iter().enumerate().map(|(place, entry)| (entry.name, place)).collect();
        let mut returned = Returned::new();
        let inputs = references(config.get("input_layers"), &names);
        for (place, input) in inputs.iter().enumerate() {
            let value = self.returned(input.clone(), scope, &mut returned)?;
            match given {
                None => self.inputs.push(value),
                Some(given) => self.values[value].same_as = given.get(place).copied(),
            }
        }
        // Calls are added first; what they return is known once all references were seen.
        let mut made = Vec::new();
        for entry in entries {
            let calls = entry.whole.get("inbound_nodes").and_then(Value::as_array);
            if entry.class == "InputLayer" {
                let value = returned.get(&(entry.name, 0, 0)).copied();
                if let Some(value) = value {
                    self.values[value].shape = input_shape(entry.config);
                }
                container.skip(entry.class);
                continue;
            }
            for (place, call) in calls.into_iter().flatten().enumerate() {
                let (arguments, named) = self.arguments(call, &names, scope, &mut returned)?;
                let returns =
                    self.call(entry, place, arguments, named, scope, container, weights)?;
                made.push((entry.name, place, returns));
            }
            if calls.is_none_or(Vec::is_empty) {
                container.skip(entry.class);
            }
        }
        let mut outputs = Vec::new();
        let is_third = entries.iter().any(Entry::describes_values);
        for mut output in references(config.get("output_layers"), &names) {
            let entry = names.get(output.layer).and_then(|place| entries.get(*place));
            if is_third && entry.is_some_and(Entry::counts_itself) {
                output.call = output.call.saturating_sub(1);
            }
            outputs.push(self.returned(output, scope, &mut returned)?);
        }
        self.connect(made, &returned, is_third)?;
        Ok(outputs)
    }

    /// Gives calls the values that others know as what they return.
    fn connect(
        &mut self,
        made: Vec<(&'c str, usize, Returns)>,
        returned: &Returned<'c>,
        is_third: bool,
    ) -> Result<(), String> {
        let mut of_layer: HashMap<&str, Vec<(usize, usize, ValueId)>> = HashMap::new();
        for ((layer, call, place), value) in returned {
            of_layer.entry(layer).or_default().push((*call, *place, *value));
        }
        for (layer, number, returns) in made {
            let known = of_layer.get(layer).map(Vec::as_slice).unwrap_or_default();
            // In the second version, a model that was made with inputs counts its own graph as the
            // first call.
            let is_model = matches!(returns, Returns::Model(_)) && !is_third;
            let first = known.first().map_or(0, |(call, ..)| usize::from(is_model && *call > 0));
            let wanted = number + first;
            let start = known.partition_point(|(call, ..)| *call < wanted);
            let these = known.get(start..).unwrap_or_default();
            let these = these.iter().take_while(|(call, ..)| *call == wanted);
            match returns {
                Returns::Model(outputs) => {
                    for (_, place, value) in these {
                        self.values[*value].same_as = outputs.get(*place).copied();
                    }
                }
                Returns::Layer(call) => {
                    let mut outputs = Vec::new();
                    for (_, place, value) in these {
                        /// Outputs of a layer that may be left out before one that is used.
                        const MAX_SKIPPED: usize = 64;
                        while outputs.len() < *place && outputs.len() < MAX_SKIPPED {
                            let name = format!("{}:{}", self.calls[call].name, outputs.len());
                            outputs.push(self.add_value(name)?);
                        }
                        outputs.push(*value);
                    }
                    if outputs.is_empty() {
                        outputs.push(self.add_value(self.calls[call].name.clone())?);
                    }
                    self.calls[call].outputs = outputs;
                }
            }
        }
        Ok(())
    }

    /// The value that a reference is to.
    fn returned(
        &mut self,
        reference: Reference<'c>,
        scope: &Scope,
        returned: &mut Returned<'c>,
    ) -> Result<ValueId, String> {
        let Reference { layer, call, place, shape } = reference;
        let value = match returned.get(&(layer, call, place)) {
            Some(value) => *value,
            None => {
                let mut name = call_name(&scope.prefix, layer, call);
                if place > 0 {
                    name.push_str(&format!(":{place}"));
                }
                let value = self.add_value(name)?;
                returned.insert((layer, call, place), value);
                value
            }
        };
        if let Some(shape) = shape {
            self.values[value].shape = Some(shape);
        }
        Ok(value)
    }

    /// What a call is given, by place and by name.
    fn arguments(
        &mut self,
        call: &'c Value,
        names: &HashMap<&str, usize>,
        scope: &Scope,
        returned: &mut Returned<'c>,
    ) -> Result<(Vec<Argument>, Named), String> {
        let mut failure = Ok(());
        let mut find = |reference: Reference<'c>| {
            names.get(reference.layer)?;
            match self.returned(reference, scope, returned) {
                Ok(value) => Some(value),
                Err(problem) => {
                    failure = Err(problem);
                    None
                }
            }
        };
        let mut positional = Vec::new();
        let mut named = Vec::new();
        let mut by_name = |values: Option<&'c Value>, find: &mut dyn FnMut(_) -> _| {
            for (name, value) in values.and_then(Value::as_object).into_iter().flatten() {
                named.push((name.clone(), argument(value, &mut |reference| find(reference))));
            }
        };
        match call {
            Value::Object(_) => {
                let given = call.get("args").and_then(Value::as_array);
                let given = given.into_iter().flatten();
                positional.extend(given.map(|value| argument(value, &mut find)));
                by_name(call.get("kwargs"), &mut find);
            }
            // A single reference may be without a list around it.
            Value::Array(items) if listed(call).is_some() => {
                positional.push(argument(call, &mut find));
                by_name(items.get(3), &mut find);
            }
            Value::Array(items) => {
                for item in items {
                    positional.push(argument(item, &mut find));
                    by_name(item.get(3), &mut find);
                }
                // Several values are one argument: a list.
                if positional.len() > 1 {
                    positional = vec![Argument::List(positional)];
                }
            }
            _ => {}
        }
        failure.map(|()| (positional, named))
    }

    /// Adds a call of a layer, or all calls inside of a model.
    #[expect(clippy::too_many_arguments, reason = "what a call is given, and where it is made")]
    fn call(
        &mut self,
        entry: &Entry<'c>,
        number: usize,
        arguments: Vec<Argument>,
        named: Named,
        scope: &Scope,
        container: &mut Container,
        weights: &Weights,
    ) -> Result<Returns, String> {
        if self.calls.len() >= MAX_CALLS {
            return Err("the model has more layers than any real one".to_owned());
        }
        let layer = self.layer(entry, scope, container, weights);
        if layers_of(entry.config).is_some() {
            let mut given = Vec::new();
            arguments.iter().for_each(|argument| argument.collect(&mut given));
            let inside = Scope {
                prefix: format!("{}/", call_name(&scope.prefix, entry.name, number)),
                container: weights.inside(&self.layers[layer].holder),
                depth: scope.depth + 1,
            };
            // Each call costs at least one value, so that models of models of nothing end too.
            self.add_value(String::new())?;
            let outputs = self.expand(entry.config, &inside, weights, Some(&given))?;
            return Ok(Returns::Model(outputs));
        }
        let name = call_name(&scope.prefix, entry.name, number);
        self.calls.push(LayerCall { layer, name, arguments, named, outputs: Vec::new() });
        Ok(Returns::Layer(self.calls.len() - 1))
    }

    /// The layer of an entry, the same for each of its calls.
    fn layer(
        &mut self,
        entry: &Entry<'c>,
        scope: &Scope,
        container: &mut Container,
        weights: &Weights,
    ) -> usize {
        let key = std::ptr::from_ref(entry.whole);
        if let Some(known) = self.known_layers.get(&key) {
            return *known;
        }
        let module = Config(entry.whole).text("module");
        let holder = container.next(entry.class, module, entry.name, weights);
        self.layers.push(Layer {
            class: entry.class,
            module,
            name: format!("{}{}", scope.prefix, entry.name),
            config: Config(entry.config),
            built_for: built_for(entry.whole),
            holder,
        });
        self.known_layers.insert(key, self.layers.len() - 1);
        self.layers.len() - 1
    }
}

/// What is given by name.
type Named = Vec<(String, Argument)>;

/// What returns the outputs of a call.
enum Returns {
    /// A call, by its place.
    Layer(usize),
    /// A model, whose outputs these are.
    Model(Vec<ValueId>),
}

fn call_name(prefix: &str, layer: &str, call: usize) -> String {
    match call {
        0 => format!("{prefix}{layer}"),
        call => format!("{prefix}{layer} (call {call})"),
    }
}

/// References to values, alone, in a list, or in a map: inputs and outputs of a model.
fn references<'c>(value: Option<&'c Value>, names: &HashMap<&str, usize>) -> Vec<Reference<'c>> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = value.into_iter().collect();
    while let Some(value) = open.pop() {
        match listed(value).filter(|reference| names.contains_key(reference.layer)) {
            Some(reference) => found.push(reference),
            None => match value {
                Value::Array(items) => open.extend(items.iter().rev()),
                Value::Object(items) => open.extend(items.values().rev()),
                _ => {}
            },
        }
    }
    found
}
