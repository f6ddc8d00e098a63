//! The models of a dataset side by side: which are duplicates of each other, or variants of one network.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use calipers_report::{Likeness, ModelGroup, ModelRow, Registry};

use crate::signature::{self, Signature};
use crate::{Error, read_models};

/// Reads the models of a dataset and groups those that are alike.
///
/// # Errors
///
/// An [`Error`] if the folder is not a dataset, or is damaged.
pub fn registry(folder: &Path) -> Result<Registry, Error> {
    let mut models = Vec::new();
    for part in read_models(folder)? {
        models.extend(part?);
    }
    models.sort_by(|one, other| one.figures.path.cmp(&other.figures.path));
    let groups = Likeness::ALL.iter().flat_map(|likeness| groups(&models, *likeness)).collect();
    Ok(Registry { models, groups })
}

/// The groups of models that are alike in one way, by their first member.
fn groups(models: &[ModelRow], likeness: Likeness) -> Vec<ModelGroup> {
    let mut found: Vec<Vec<usize>> = match likeness {
        Likeness::Weights => by_text(models, |model| model.weights_digest.as_deref()),
        Likeness::Architecture => by_text(models, |model| model.architecture_digest.as_deref()),
        Likeness::Shapes => by_shapes(models),
    };
    found.retain(|group| group.len() > 1);
    found.sort_unstable();
    found.into_iter().map(|models| ModelGroup { likeness, models }).collect()
}

fn by_text(models: &[ModelRow], text: impl Fn(&ModelRow) -> Option<&str>) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, model) in models.iter().enumerate() {
        if let Some(text) = text(model) {
            groups.entry(text).or_default().push(place);
        }
    }
    groups.into_values().collect()
}

/// Models of one family whose signatures agree. The most frequent signatures begin groups.
fn by_shapes(models: &[ModelRow]) -> Vec<Vec<usize>> {
    // Other families may have the same shapes: a text encoder and a vision transformer of one size.
    let mut families: BTreeMap<_, BTreeMap<Signature, Vec<usize>>> = BTreeMap::new();
    for (place, model) in models.iter().enumerate() {
        if let Some(signature) = model.shape_signature.as_deref().and_then(signature::decoded) {
            let family = (model.figures.kind, model.figures.family);
            let signatures = families.entry(family).or_default();
            signatures.entry(signature).or_default().push(place);
        }
    }
    let mut found = Vec::new();
    for signatures in families.into_values() {
        let mut signatures: Vec<(Signature, Vec<usize>)> = signatures.into_iter().collect();
        signatures.sort_by_key(|(_, places)| (Reverse(places.len()), places[0]));
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let numbers = signature::groups(signatures.iter().map(|(signature, _)| signature));
        for (number, (_, places)) in numbers.into_iter().zip(&signatures) {
            groups.entry(number).or_default().extend(places);
        }
        for mut group in groups.into_values() {
            group.sort_unstable();
            found.push(group);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_digests_are_groups() {
        let model = |path: &str, digest: Option<&str>| {
            let mut row =
                ModelRow { weights_digest: digest.map(str::to_owned), ..ModelRow::default() };
            row.figures.path = path.to_owned();
            row
        };
        let models =
            [model("a", Some("x")), model("b", None), model("c", Some("x")), model("d", Some("y"))];
        let expected = ModelGroup { likeness: Likeness::Weights, models: vec![0, 2] };
        assert_eq!(groups(&models, Likeness::Weights), [expected]);
        assert_eq!(groups(&models, Likeness::Architecture), []);
        assert_eq!(groups(&models, Likeness::Shapes), []);
    }
}
