//! Where a file has the weights of each layer.
//!
//! Keras 3 stores them by the structure of objects: `layers/dense_1/vars/0` is the first variable of
//! the second layer of the class `Dense`, whatever its name is. Before that, each layer had a group
//! of its name, whose attribute `weight_names` lists its weights.

use std::collections::{BTreeMap, HashMap};

use super::variables::{Variable, variables};
use crate::hdf5::{Contents, Dataset, Object};
use crate::keras::json::Config;

/// Groups that the layers of a model are in, by version.
const LAYERS: [&str; 2] = ["layers", "_layer_checkpoint_dependencies"];

/// Parts of a weight's name, from the end, that may be its layer.
const MAX_PARTS: usize = 3;

/// Weights in a file.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// Datasets by their paths, without those of optimizers.
    pub(super) datasets: BTreeMap<String, Dataset>,
    /// Bytes of what optimizers keep.
    pub(super) optimizer_bytes: u64,
    form: Form,
}

/// How weights are found.
#[derive(Debug)]
enum Form {
    /// By the structure of objects: the group of a layer by the group that it is in and its name,
    /// where the file has names.
    Objects(HashMap<(String, String), String>),
    /// By the names of layers: the weights of each, as listed, with the paths of their datasets.
    Names {
        base: String,
        layers: HashMap<String, Vec<(String, String)>>,
        /// Places in those lists, by layer and by a name inside of it.
        inside: HashMap<(String, String), Vec<usize>>,
    },
}

impl Default for Form {
    fn default() -> Self {
        Self::Objects(HashMap::new())
    }
}

/// Where the weights of a layer are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Holder {
    /// The group; by names, that of the outermost layer.
    path: String,
    /// The name of the layer, where it shares a group with others.
    own_name: Option<String>,
}

/// A list of layers, in which each has its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Container {
    path: String,
    /// The outermost layer that it is in, where layers have groups by name.
    inside: Option<String>,
    used: HashMap<String, usize>,
}

/// A weight of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claimed {
    /// The path of its dataset.
    pub(super) path: String,
    /// What it is of its layer; `None` for one that is not known.
    pub(super) variable: Option<Variable>,
    /// Its name after that of the layer.
    pub(super) shown: String,
}

impl Weights {
    /// Sorts what a file has into weights and the rest.
    pub(super) fn new(contents: &Contents) -> Self {
        let mut weights = Self { form: form(&contents.objects), ..Self::default() };
        for object in &contents.objects {
            let Some(dataset) = &object.dataset else { continue };
            let outermost = object.path.split('/').next().unwrap_or_default();
            match matches!(outermost, "optimizer" | "optimizer_weights") {
                false => {
                    weights.datasets.insert(object.path.clone(), dataset.clone());
                }
                true => {
                    let dims = dataset.dims.as_deref().unwrap_or(&[0]);
                    let size = dims
                        .iter()
                        .fold(dataset.element.size, |size, dim| size.saturating_mul(*dim));
                    weights.optimizer_bytes = weights.optimizer_bytes.saturating_add(size);
                }
            }
        }
        weights
    }

    /// The layers of the model itself.
    pub(super) fn root(&self) -> Container {
        self.container("")
    }

    fn container(&self, holder: &str) -> Container {
        let inside = |name: &str| match holder.is_empty() {
            true => name.to_owned(),
            false => format!("{holder}/{name}"),
        };
        let paths = LAYERS.map(inside);
        let known = paths.iter().find(|path| {
            let start = format!("{path}/");
            let found = self.datasets.range(start.clone()..).next();
            found.is_some_and(|(path, _)| path.starts_with(&start))
        });
        let path = known.unwrap_or(&paths[0]).clone();
        Container { path, ..Container::default() }
    }

    /// The layers of a model that is a layer itself.
    pub(super) fn inside(&self, holder: &Holder) -> Container {
        match &self.form {
            Form::Objects(_) => self.container(&holder.path),
            Form::Names { .. } => {
                Container { inside: Some(holder.path.clone()), ..Container::default() }
            }
        }
    }

    /// The weights of a layer, those whose use is known in the order of the table.
    pub(super) fn of_layer(
        &self,
        holder: &Holder,
        class: &str,
        config: Config<'_>,
    ) -> Vec<Claimed> {
        let known = variables(class, config);
        match &self.form {
            Form::Objects(_) => self.by_objects(holder, &known),
            Form::Names { layers, inside, .. } => {
                let listed = layers.get(&holder.path).map(Vec::as_slice).unwrap_or_default();
                let listed = match &holder.own_name {
                    None => listed.iter().collect(),
                    Some(own) => {
                        let places = inside.get(&(holder.path.clone(), own.clone()));
                        let places = places.map(Vec::as_slice).unwrap_or_default();
                        places.iter().filter_map(|place| listed.get(*place)).collect()
                    }
                };
                by_names(listed, known)
            }
        }
    }

    fn by_objects(&self, holder: &Holder, known: &[Variable]) -> Vec<Claimed> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut at = HashMap::new();
        for variable in known {
            let place = places.entry(variable.part).or_default();
            let part = if variable.part.is_empty() { "" } else { "/" };
            let path = format!("{}{part}{}/vars/{place}", holder.path, variable.part);
            at.insert(path, *variable);
            *place += 1;
        }
        let start = format!("{}/", holder.path);
        let inside = self.datasets.range(start.clone()..);
        let inside = inside.take_while(|(path, _)| path.starts_with(&start));
        let claimed = inside.map(|(path, _)| {
            let variable = at.get(path).copied();
            let rest = path.get(start.len()..).unwrap_or_default();
            let shown = variable.map_or_else(|| rest.to_owned(), |variable| variable.shown());
            Claimed { path: path.clone(), variable, shown }
        });
        claimed.collect()
    }

    /// What a dataset is called in a report.
    pub(super) fn shown<'p>(&self, path: &'p str) -> &'p str {
        match &self.form {
            Form::Names { base, .. } => path.strip_prefix(base.as_str()).unwrap_or(path),
            Form::Objects(_) => path,
        }
    }

    /// What a numbered variable is, by the class that its group is called after: the last two of a
    /// batch normalization are what was gathered.
    pub(super) fn statistic_by_group(&self, path: &str) -> Option<&'static str> {
        let (holder, place) = path.rsplit_once("/vars/")?;
        let group = holder.rsplit('/').next()?;
        let number = group.strip_prefix("batch_normalization")?;
        let place: usize = place.parse().ok()?;
        if !number.is_empty() && !number.starts_with('_') {
            return None;
        }
        let has_more = |behind: usize| {
            let after = place.checked_add(behind)?;
            Some(self.datasets.contains_key(&format!("{holder}/vars/{after}")))
        };
        match (has_more(1)?, has_more(2)?) {
            (false, _) => Some("moving_variance"),
            (true, false) => Some("moving_mean"),
            (true, true) => None,
        }
    }

    /// Whether weights are shown by the names that the file has for them.
    pub(super) fn has_names(&self) -> bool {
        matches!(self.form, Form::Names { .. })
    }
}

/// Weights of a layer among those that its group lists for it.
fn by_names(listed: Vec<&(String, String)>, known: Vec<Variable>) -> Vec<Claimed> {
    let mut left: Vec<(&str, &str)> =
        listed.into_iter().map(|(name, path)| (name.as_str(), path.as_str())).collect();
    let mut claimed = Vec::new();
    let by_place = left.len() == known.len();
    let mut missing = Vec::new();
    for variable in known {
        let has_name = |(name, _): &(&str, &str)| {
            let leaf = name.rsplit('/').next().unwrap_or_default();
            variable.is_named(leaf.split(':').next().unwrap_or(leaf))
        };
        let is_part = |(name, _): &(&str, &str)| {
            name.split('/').any(|part| part.starts_with(variable.within))
        };
        let exact = left.iter().position(|one| has_name(one) && is_part(one));
        let place = exact.or_else(|| left.iter().position(has_name));
        match place {
            Some(place) => {
                let (name, path) = left.remove(place);
                claimed.push(claim(name, path, Some(variable)));
            }
            None => missing.push(variable),
        }
    }
    // The first version names weights after layers: their order says what they are.
    if claimed.is_empty() && by_place {
        let pairs = left.drain(..).zip(missing);
        claimed.extend(pairs.map(|((name, path), variable)| claim(name, path, Some(variable))));
    }
    claimed.extend(left.into_iter().map(|(name, path)| claim(name, path, None)));
    claimed
}

fn claim(name: &str, path: &str, variable: Option<Variable>) -> Claimed {
    Claimed { path: path.to_owned(), variable, shown: name.to_owned() }
}

impl Container {
    /// The place of the next layer.
    pub(super) fn next(
        &mut self,
        class: &str,
        module: &str,
        name: &str,
        weights: &Weights,
    ) -> Holder {
        match &weights.form {
            Form::Names { .. } => match &self.inside {
                Some(outer) => Holder { path: outer.clone(), own_name: Some(name.to_owned()) },
                None => Holder { path: name.to_owned(), own_name: None },
            },
            // Operations are no layers, and have no weights.
            Form::Objects(_) if is_operation(module) => Holder::default(),
            Form::Objects(known) => {
                let unique = self.unique(class);
                let by_name = known.get(&(self.path.clone(), name.to_owned()));
                let path = by_name.cloned().unwrap_or_else(|| format!("{}/{unique}", self.path));
                Holder { path, own_name: None }
            }
        }
    }

    /// Counts a layer that is never called.
    pub(super) fn skip(&mut self, class: &str) {
        self.unique(class);
    }

    fn unique(&mut self, class: &str) -> String {
        let class = class.rsplit('>').next().unwrap_or(class);
        let name = snake_case(class);
        let used = self.used.entry(name.clone()).or_default();
        *used += 1;
        match *used {
            1 => name,
            used => format!("{name}_{}", used - 1),
        }
    }
}

/// Whether a class is defined among the operations rather than the layers.
pub(super) fn is_operation(module: &str) -> bool {
    module.starts_with("keras.src.ops") || module.starts_with("keras.ops")
}

/// `GlobalMaxPooling2D` to `global_max_pooling2d`, `LSTM` to `lstm`, `PReLU` to `p_re_lu`.
fn snake_case(class: &str) -> String {
    let is_kept = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let letters: Vec<char> = class.chars().filter(is_kept).collect();
    let mut snake = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| letters.get(before));
        let is_small = |letter: &char| letter.is_ascii_lowercase();
        // A word begins at a capital that a small letter follows, or that follows one.
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                is_small(before) || letters.get(place + 1).is_some_and(is_small)
            });
        if begins {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

fn form(objects: &[Object]) -> Form {
    let by_path: HashMap<&str, &Object> =
        objects.iter().map(|object| (object.path.as_str(), object)).collect();
    for base in ["model_weights", ""] {
        let Some(group) = by_path.get(base) else { continue };
        let Some(names) = listed(group, "layer_names") else { continue };
        let base = if base.is_empty() { String::new() } else { format!("{base}/") };
        let of = |name: &str| {
            let path = format!("{base}{name}");
            let weights = by_path.get(path.as_str()).and_then(|it| listed(it, "weight_names"));
            let weights = weights.unwrap_or_default().into_iter();
            weights.map(|weight| (weight.to_owned(), format!("{path}/{weight}"))).collect()
        };
        let layers: HashMap<String, Vec<(String, String)>> =
            names.iter().map(|name| ((*name).to_owned(), of(name))).collect();
        let mut inside: HashMap<(String, String), Vec<usize>> = HashMap::new();
        for name in names {
            for (place, (weight, _)) in layers.get(name).into_iter().flatten().enumerate() {
                // The layer is just before the variable, or before the cell that holds it.
                for part in weight.rsplit('/').skip(1).take(MAX_PARTS) {
                    let places = inside.entry((name.to_owned(), part.to_owned())).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                }
            }
        }
        return Form::Names { base, layers, inside };
    }
    let mut named = HashMap::new();
    for object in objects {
        let Some(holder) = object.path.strip_suffix("/vars") else { continue };
        if let (Some((container, _)), Some(name)) = (holder.rsplit_once('/'), object.text("name")) {
            named.insert((container.to_owned(), name.to_owned()), holder.to_owned());
        }
    }
    Form::Objects(named)
}

/// The texts of an attribute, which may be cut into several that are numbered.
fn listed<'o>(object: &'o Object, name: &str) -> Option<Vec<&'o str>> {
    if let Some(whole) = object.texts(name) {
        return Some(whole.iter().map(String::as_str).collect());
    }
    let mut parts = Vec::new();
    for number in 0.. {
        let Some(part) = object.texts(&format!("{name}{number}")) else { break };
        parts.extend(part.iter().map(String::as_str));
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn classes_are_written_as_keras_writes_them() {
        for (class, snake) in [
            ("Dense", "dense"),
            ("Conv2D", "conv2d"),
            ("Conv2DTranspose", "conv2d_transpose"),
            ("GlobalAveragePooling2D", "global_average_pooling2d"),
            ("LSTM", "lstm"),
            ("ReLU", "re_lu"),
            ("PReLU", "p_re_lu"),
            ("ELU", "elu"),
            ("GRU", "gru"),
            ("SimpleRNN", "simple_rnn"),
            ("ConvLSTM2D", "conv_lstm2d"),
            ("InputLayer", "input_layer"),
            ("UpSampling2D", "up_sampling2d"),
            ("TFOpLambda", "tf_op_lambda"),
        ] {
            assert_eq!(snake_case(class), snake);
        }
    }
}
