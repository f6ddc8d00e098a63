//! Einstein's sums: <https://onnx.ai/onnx/operators/onnx__Einsum.html>.

use std::collections::BTreeMap;

use calipers_sym::Expr;

use crate::context::{Attr, Fail, OpContext, Outcome, broadcast};
use crate::fact::Fact;
use crate::known;

/// One letter for each dimension, with `...` for any number of them that broadcast.
#[derive(Debug, PartialEq, Eq)]
struct Term {
    before: Vec<u8>,
    /// The letters after the dots; `None` when there are no dots.
    after: Option<Vec<u8>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Equation {
    inputs: Vec<Term>,
    output: Term,
}

/// The dimensions that the equation names on its right, or those it names once on its left.
pub(super) fn einsum(ctx: &mut OpContext<'_>) -> Outcome {
    let inputs: Vec<usize> = (0..ctx.input_count()).collect();
    let dtype = known::dtype(ctx, &inputs);
    let equation = match ctx.attribute("equation") {
        Some(Attr::Text(text)) => Equation::parse(text),
        Some(Attr::Long(_)) => return Err(Fail::unknown("the equation is too long to be read")),
        _ => Err("there is none".to_owned()),
    };
    let equation = equation.map_err(|wrong| {
        Fail::contradiction(format!("the equation of {} cannot be read: {wrong}", ctx.op))
    })?;
    if equation.inputs.len() != inputs.len() {
        return Err(Fail::contradiction(format!(
            "the equation of {} has {} terms, and there are {} inputs",
            ctx.op,
            equation.inputs.len(),
            inputs.len()
        )));
    }
    let mut sizes = Sizes::default();
    for (index, term) in equation.inputs.iter().enumerate() {
        sizes.take(ctx, index, term)?;
    }
    let output = &equation.output;
    let mut dims = sizes.dims(ctx, &output.before);
    if let Some(after) = &output.after {
        match sizes.unranked {
            Some(index) => return Ok(vec![known::unranked(ctx, index, dtype)]),
            None => dims.extend(sizes.dots.iter().cloned()),
        }
        dims.extend(sizes.dims(ctx, after));
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// What the inputs say of the letters and of the dots.
#[derive(Default)]
struct Sizes {
    letters: BTreeMap<u8, Expr>,
    /// Letters whose size some input leaves open.
    open: Vec<u8>,
    dots: Vec<Expr>,
    /// An input with dots whose number of dimensions is not known.
    unranked: Option<usize>,
}

impl Sizes {
    fn take(&mut self, ctx: &OpContext<'_>, index: usize, term: &Term) -> Result<(), Fail> {
        let after = term.after.as_deref().unwrap_or_default();
        let Some(dims) = known::dims(ctx, index)? else {
            self.open.extend(term.before.iter().chain(after));
            if term.after.is_some() {
                self.unranked = Some(index);
            }
            return Ok(());
        };
        let named = term.before.len() + after.len();
        let dots = dims.len().checked_sub(named);
        let Some(dots) = dots.filter(|dots| *dots == 0 || term.after.is_some()) else {
            return Err(Fail::contradiction(format!(
                "input {index} of {} has {} dimensions, and the equation names {named}",
                ctx.op,
                dims.len()
            )));
        };
        let (before, rest) = dims.split_at(term.before.len());
        let (middle, end) = rest.split_at(dots);
        for (letter, dim) in term.before.iter().zip(before).chain(after.iter().zip(end)) {
            self.letter(ctx.op, *letter, dim)?;
        }
        self.dots = broadcast(ctx.op, &self.dots, middle)?;
        Ok(())
    }

    /// A dimension of 1 gives way to others of its letter.
    fn letter(&mut self, op: &str, letter: u8, dim: &Expr) -> Result<(), Fail> {
        let dim = match self.letters.get(&letter) {
            Some(known) => {
                let mut both =
                    broadcast(op, std::slice::from_ref(known), std::slice::from_ref(dim))?;
                both.pop().unwrap_or_else(|| dim.clone())
            }
            None => dim.clone(),
        };
        self.letters.insert(letter, dim);
        Ok(())
    }

    fn dims(&self, ctx: &mut OpContext<'_>, letters: &[u8]) -> Vec<Expr> {
        let sizes = letters.iter().map(|letter| {
            let size = self.letters.get(letter);
            // Another input may say more than 1.
            let size =
                size.filter(|size| size.as_const() != Some(1) || !self.open.contains(letter));
            known::or_fresh(ctx, size.cloned(), "an input whose shape is not known")
        });
        sizes.collect()
    }
}

impl Equation {
    fn parse(text: &[u8]) -> Result<Self, String> {
        let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != b' ').collect();
        let arrow = text.windows(2).position(|pair| pair == b"->");
        let (left, right) = match arrow {
            Some(at) => (&text[..at], Some(&text[at + 2..])),
            None => (&text[..], None),
        };
        let inputs = left.split(|byte| *byte == b',').map(Term::parse);
        let inputs = inputs.collect::<Result<Vec<Term>, String>>()?;
        let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
        for letter in inputs.iter().flat_map(Term::letters) {
            *counts.entry(letter).or_default() += 1;
        }
        let output = match right {
            Some(right) => Term::parse(right)?,
            None => {
                let once: Vec<u8> =
                    counts.iter().filter(|(_, count)| **count == 1).map(|(l, _)| *l).collect();
                match inputs.iter().any(|term| term.after.is_some()) {
                    true => Term { before: Vec::new(), after: Some(once) },
                    false => Term { before: once, after: None },
                }
            }
        };
        let mut seen = Vec::new();
        for letter in output.letters() {
            if !counts.contains_key(&letter) {
                return Err(format!("its output names {:?} alone", char::from(letter)));
            }
            if seen.contains(&letter) {
                return Err(format!("its output names {:?} twice", char::from(letter)));
            }
            seen.push(letter);
        }
        Ok(Self { inputs, output })
    }
}

impl Term {
    fn parse(text: &[u8]) -> Result<Self, String> {
        let dots = text.windows(3).position(|three| three == b"...");
        let (before, after) = match dots {
            Some(at) => (&text[..at], Some(&text[at + 3..])),
            None => (text, None),
        };
        let letters = |part: &[u8]| match part.iter().find(|byte| !byte.is_ascii_alphabetic()) {
            Some(byte) => Err(format!("{:?} is not a letter", char::from(*byte))),
            None => Ok(part.to_vec()),
        };
        Ok(Self { before: letters(before)?, after: after.map(letters).transpose()? })
    }

    fn letters(&self) -> impl Iterator<Item = u8> {
        self.before.iter().chain(self.after.as_deref().unwrap_or_default()).copied()
    }
}
