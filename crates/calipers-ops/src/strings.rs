//! Texts.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::AttributeUse::Learned;
use crate::context::{Attr, Fail, OpContext, Outcome, broadcast};
use crate::cost;
use crate::fact::{Fact, TensorFact};
use crate::row::Operator;
use crate::traits::{Class, Extent, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Text,
    [
        Operator::onnx("RegexFullMatch", &[])
            .decides()
            .since(&[20])
            .infer(regex_full_match)
            .costs(cost::free),
        Operator::onnx("StringConcat", &[]).since(&[20]).infer(string_concat).costs(cost::free),
        Operator::onnx("StringNormalizer", &[])
            .since(&[10])
            .infer(string_normalizer)
            .costs(cost::free),
        Operator::onnx("StringSplit", &[])
            .extent(Extent::Data)
            .since(&[20])
            .infer(string_split)
            .costs(cost::free),
        Operator::onnx("TfIdfVectorizer", &[])
            .class(Class::Features)
            .holding(&[("weights", Learned)])
            .since(&[9])
            .infer(tf_idf_vectorizer)
            .costs(cost::free),
    ],
);

/// A truth value for each text: <https://onnx.ai/onnx/operators/onnx__RegexFullMatch.html>.
fn regex_full_match(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, DType::Bool)?])
}

/// Texts put together, broadcast: <https://onnx.ai/onnx/operators/onnx__StringConcat.html>.
fn string_concat(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![match (ctx.shape(0)?, ctx.shape(1)?) {
        (Ok(one), Ok(other)) => Fact::tensor(DType::String, broadcast(ctx.op, one, other)?),
        (Err(reason), _) | (_, Err(reason)) => Fact::unranked(DType::String, reason),
    }])
}

/// Words without stop words, at least one: they are in one row.
///
/// <https://onnx.ai/onnx/operators/onnx__StringNormalizer.html>
fn string_normalizer(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(DType::String, reason)]),
    };
    let (rows, words) = match dims {
        [words] => (&[][..], words),
        [row, words] if !row.always_ne(&Expr::from(1)) => (&[Expr::from(1)][..], words),
        _ => return Err(Fail::contradiction("StringNormalizer has more than one row of words")),
    };
    let keeps_all = match ctx.attribute("stopwords") {
        None => true,
        Some(Attr::Texts(count)) => count == 0,
        Some(_) => false,
    };
    // If no word is left, one stays that is empty.
    let left = if keeps_all && words.is_at_least(1) || words.as_const() == Some(1) {
        words.clone()
    } else {
        ctx.fresh("the words that are left")
    };
    Ok(vec![Fact::tensor(DType::String, rows.iter().cloned().chain([left]))])
}

/// The parts of each text, and how many: <https://onnx.ai/onnx/operators/onnx__StringSplit.html>.
fn string_split(ctx: &mut OpContext<'_>) -> Outcome {
    let counts = ctx.shaped_like(0, DType::Int64)?;
    let parts = match ctx.shape(0)? {
        Ok(dims) => {
            let none = ctx.tensor(0)?.constant_count() == Some(0);
            let most = if none { Expr::from(0) } else { ctx.fresh("the most parts of a text") };
            Fact::tensor(DType::String, dims.iter().cloned().chain([most]))
        }
        Err(reason) => Fact::unranked(DType::String, reason),
    };
    Ok(vec![parts, counts])
}

/// A number for each n-gram that is looked for:
/// <https://onnx.ai/onnx/operators/onnx__TfIdfVectorizer.html>.
fn tf_idf_vectorizer(ctx: &mut OpContext<'_>) -> Outcome {
    let last = ctx.ints("ngram_indexes").and_then(|indexes| indexes.iter().max().copied());
    let count = match last.and_then(|last| last.checked_add(1)) {
        Some(count) if count > 0 => Expr::from(count),
        _ => ctx.fresh("the n-grams that are looked for"),
    };
    let input = ctx.optional_tensor(0).map(|tensor| (tensor, TensorFact::dims(tensor)));
    Ok(vec![match input {
        Some((_, Some([_]))) => Fact::tensor(DType::Float32, [count]),
        Some((_, Some([rows, _]))) => Fact::tensor(DType::Float32, [rows.clone(), count]),
        Some((tensor, Some(_))) => {
            return Err(Fail::contradiction(format!("TfIdfVectorizer has an input of {tensor}")));
        }
        _ => Fact::unranked(DType::Float32, "its input may be one row or many"),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, shape};

    #[test]
    fn words_may_be_dropped() {
        let words = |text: &str| Try::new("StringNormalizer", 10).input(dims(text));
        let stop = ("stopwords", Attr::Texts(2));
        assert_eq!(shape(&words("n").one(string_normalizer)), "n");
        assert_eq!(
            shape(&words("1 4").with(stop.0, stop.1.clone()).one(string_normalizer)),
            "1 f1"
        );
        // One word that is dropped leaves one that is empty.
        assert_eq!(shape(&words("1 1").with(stop.0, stop.1).one(string_normalizer)), "1 1");
        assert!(words("2 4").run(string_normalizer).is_err());
    }

    #[test]
    fn texts_fall_apart() {
        let ctx = Try::new("StringSplit", 20).input(dims("n 2")).outputs(2);
        let facts = ctx.run(string_split).unwrap();
        assert_eq!((shape(&facts[0]), shape(&facts[1])), ("n 2 f1".into(), "n 2".into()));
    }

    #[test]
    fn n_grams_are_counted() {
        let ctx = |text: &str| Try::new("TfIdfVectorizer", 9).input(dims(text));
        let fact = ctx("n 8").ints("ngram_indexes", &[0, 6, 3]).one(tf_idf_vectorizer);
        assert_eq!(shape(&fact), "n 7");
    }
}
