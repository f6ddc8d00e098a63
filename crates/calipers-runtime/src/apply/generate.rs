//! Text, token by token, with the KV cache of a decoder.

use calipers_ir::DType;

use crate::session::{Read, Session};
use crate::{Elements, Error, Tensor};

/// An input of the decoder: its name, type and sizes, `None` where one is free.
#[derive(Clone, Debug)]
pub struct Port {
    /// The name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its sizes.
    pub sizes: Vec<Option<usize>>,
}

/// Generates tokens after a prompt, the most probable one each time, until a token that ends the
/// text or as many as allowed. A cache is carried from step to step where the model has one.
///
/// # Errors
///
/// Those of the runtime, and [`Error::Request`] if the model is not a decoder.
pub fn greedy(
    session: &mut dyn Session,
    inputs: &[Port],
    prompt: &[i64],
    most: usize,
    ends: &[u32],
) -> Result<Vec<u32>, Error> {
    let is_past = |name: &str| name.contains("past");
    let outputs = session.outputs();
    let presents: Vec<String> =
        outputs.iter().filter(|name| name.contains("present")).cloned().collect();
    let pasts: Vec<&Port> = inputs.iter().filter(|port| is_past(&port.name)).collect();
    if pasts.len() != presents.len() {
        return Err(Error::Request(format!(
            "the model has {} inputs and {} outputs for its cache; pass tensors with --input",
            pasts.len(),
            presents.len()
        )));
    }
    let has_cache = !pasts.is_empty();
    let mut cache: Vec<(String, Tensor)> = pasts
        .iter()
        .map(|port| Ok((port.name.clone(), empty(port)?)))
        .collect::<Result<_, Error>>()?;
    let mut tokens: Vec<i64> = prompt.to_vec();
    let mut made = Vec::new();
    let mut done = 0;
    while made.len() < most {
        let step = &tokens[done..];
        let mut feeds = cache.clone();
        for port in inputs.iter().filter(|port| !is_past(&port.name)) {
            feeds.push((port.name.clone(), fed(port, step, done, has_cache)?));
        }
        let mut found = session.run(&feeds, None, Read::Values)?;
        let logits = found
            .iter()
            .find(|output| output.name.contains("logits"))
            .or(found.first())
            .and_then(|output| output.tensor.as_ref());
        let next = logits.and_then(last_best).ok_or_else(|| {
            Error::Request("the model returns no scores of tokens: is it a decoder?".to_owned())
        })?;
        if has_cache {
            done = tokens.len();
            for ((_, held), name) in cache.iter_mut().zip(&presents) {
                let present = found.iter_mut().find(|output| output.name == *name);
                *held = present.and_then(|output| output.tensor.take()).ok_or_else(|| {
                    Error::Request(format!("the output `{name}` is not a tensor"))
                })?;
            }
        }
        if ends.contains(&next) {
            break;
        }
        made.push(next);
        tokens.push(i64::from(next));
    }
    Ok(made)
}

/// A cache without tokens: the free size behind the batch is 0.
fn empty(port: &Port) -> Result<Tensor, Error> {
    let mut shape: Vec<usize> = Vec::new();
    for (axis, size) in port.sizes.iter().enumerate() {
        shape.push(match (axis, size) {
            (_, Some(size)) => *size,
            (0, None) => 1,
            (_, None) => 0,
        });
    }
    let elements = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    // Tensors of a real decoder's states are far smaller.
    let elements = elements
        .filter(|elements| *elements <= 1 << 28)
        .ok_or_else(|| Error::Request(format!("the input `{}` is too large", port.name)))?;
    Tensor::from_f32(shape, vec![0.0; elements], port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))
}

/// What an input holds at a step: the new tokens, a mask of all of them, their positions.
fn fed(port: &Port, step: &[i64], done: usize, has_cache: bool) -> Result<Tensor, Error> {
    let range = |from: usize, to: usize| (from..to).map(|place| place as i64).collect::<Vec<i64>>();
    let all = done + step.len();
    let name = port.name.to_lowercase();
    let values = match () {
        () if name.contains("mask") => vec![1; all],
        () if name.contains("position") => range(done, all),
        () if name.contains("use_cache") => {
            return Tensor::new(vec![1], vec![has_cache && done > 0]);
        }
        () if name.contains("ids") || name.contains("input") || name.contains("token") => {
            step.to_vec()
        }
        () => {
            return Err(Error::Request(format!(
                "the input `{}` is not one of a decoder; pass tensors with --input",
                port.name
            )));
        }
    };
    let shape = vec![1, values.len()];
    let elements = match port.dtype {
        #[expect(clippy::cast_possible_truncation, reason = "vocabularies have fewer tokens")]
        DType::Int32 => Elements::I32(values.iter().map(|it| *it as i32).collect()),
        DType::Int64 => Elements::I64(values),
        _ => {
            let floats = values.iter().map(|it| if *it == 0 { 0.0 } else { 1.0 }).collect();
            return Tensor::from_f32(shape, floats, port.dtype)
                .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()));
        }
    };
    Tensor::new(shape, elements)
}

/// The most probable token at the last position.
fn last_best(logits: &Tensor) -> Option<u32> {
    let width = *logits.shape().last()?;
    let values = logits.to_f32()?;
    let last = values.rchunks_exact(width.max(1)).next()?;
    let best = last.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
    u32::try_from(best.0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_decides() {
        let logits = Tensor::new(vec![1, 2, 3], vec![9.0_f32, 0.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!(last_best(&logits), Some(1));
    }

    #[test]
    fn a_cache_begins_empty() {
        let port = Port {
            name: "past_key_values.0.key".to_owned(),
            dtype: DType::Float32,
            sizes: vec![None, Some(4), None, Some(8)],
        };
        assert_eq!(empty(&port).unwrap().shape(), [1, 4, 0, 8]);
        let mask = Port { name: "attention_mask".to_owned(), dtype: DType::Int64, sizes: vec![] };
        assert_eq!(fed(&mask, &[5], 3, true).unwrap().shape(), [1, 4]);
    }
}
