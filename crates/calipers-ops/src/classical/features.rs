//! Features: choosing, cleaning, encoding.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::{count, has};
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::fact::{Fact, product};

/// Elements one by one replaced by others of their type.
///
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_Binarizer.html>, `onnx_aionnxml_Imputer`.
pub(super) fn same_type(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, ctx.dtype(0))?])
}

/// Elements one by one replaced by floats.
///
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html>, `onnx_aionnxml_Scaler`.
pub(super) fn to_floats(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, DType::Float32)?])
}

/// Some columns: <https://onnx.ai/onnx/operators/onnx_aionnxml_ArrayFeatureExtractor.html>.
pub(super) fn array_feature_extractor(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(dtype, reason)]),
    };
    let chosen = match ctx.shape(1)? {
        Ok(dims) => product(dims),
        Err(_) => ctx.fresh("the columns that are chosen"),
    };
    let rows = match dims {
        [] => return Err(Fail::contradiction("ArrayFeatureExtractor has no columns to choose")),
        // One row stays a row.
        [_] => vec![Expr::from(1)],
        [rows @ .., _] => rows.to_vec(),
    };
    Ok(vec![Fact::tensor(dtype, rows.into_iter().chain([chosen]))])
}

/// A map as a row: <https://onnx.ai/onnx/operators/onnx_aionnxml_CastMap.html>.
pub(super) fn cast_map(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = match ctx.text_or("cast_to", "TO_FLOAT") {
        "TO_FLOAT" => DType::Float32,
        "TO_STRING" => DType::String,
        "TO_INT64" => DType::Int64,
        other => return Err(Fail::contradiction(format!("CastMap casts to {other:?}"))),
    };
    let columns = match ctx.text_or("map_form", "DENSE") {
        "SPARSE" => Expr::from(ctx.int_or("max_map", 1)),
        _ => ctx.fresh("the entries of the map"),
    };
    Ok(vec![Fact::tensor(dtype, [Expr::from(1), columns])])
}

/// Texts for numbers, or numbers for texts:
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_CategoryMapper.html>.
pub(super) fn category_mapper(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, other_of(ctx))?])
}

/// The type that texts and integers are exchanged for.
fn other_of(ctx: &OpContext<'_>) -> DType {
    let to_text = ctx.attribute("default_string").is_some();
    match (ctx.dtype(0), to_text, ctx.int("default_int64").is_some()) {
        (DType::String, ..) | (DType::Undefined, false, true) => DType::Int64,
        (DType::Int64, ..) | (DType::Undefined, true, false) => DType::String,
        _ => DType::Undefined,
    }
}

/// An element for each word of a vocabulary. The standard says one dimension, runtimes make two.
///
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_DictVectorizer.html>
pub(super) fn dict_vectorizer(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = match ctx.input(0)? {
        Fact::Map { value, .. } => value.as_tensor().map_or(DType::Undefined, |value| value.dtype),
        Fact::Unknown(_) => DType::Undefined,
        other => {
            return Err(Fail::contradiction(format!("DictVectorizer takes {other}, not a map")));
        }
    };
    Ok(vec![Fact::unranked(dtype, "runtimes do not agree on its number of dimensions")])
}

/// All columns side by side: <https://onnx.ai/onnx/operators/onnx_aionnxml_FeatureVectorizer.html>.
pub(super) fn feature_vectorizer(ctx: &mut OpContext<'_>) -> Outcome {
    let mut rows: Option<Expr> = None;
    let mut columns: Option<Expr> = Some(Expr::from(0));
    for index in 0..ctx.input_count() {
        let (row, column) = match ctx.shape(index)? {
            Ok([column]) => (Some(Expr::from(1)), Some(column.clone())),
            Ok([row, column]) => (Some(row.clone()), Some(column.clone())),
            Ok([row, ..]) => (Some(row.clone()), None),
            _ => (None, None),
        };
        if rows.as_ref().and_then(Expr::as_const).is_none() {
            rows = row.or(rows);
        }
        columns = columns.zip(column).map(|(sum, column)| sum + column);
    }
    let widths = ctx.ints("inputdimensions").filter(|widths| !widths.is_empty());
    let columns = match widths {
        Some(widths) => Some(widths.iter().map(|width| Expr::from(*width)).sum()),
        None => columns,
    };
    let rows = rows.unwrap_or_else(|| ctx.fresh("the number of rows"));
    let columns = columns.unwrap_or_else(|| ctx.fresh("the columns of all inputs"));
    Ok(vec![Fact::tensor(DType::Float32, [rows, columns])])
}

/// One value for another: <https://onnx.ai/onnx/operators/onnx_aionnxml_LabelEncoder.html>.
pub(super) fn label_encoder(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = if ctx.version < 2 {
        other_of(ctx)
    } else if let Some(Attr::Tensor(values)) = ctx.attribute("values_tensor") {
        values.dtype
    } else if has(ctx, "values_strings") {
        DType::String
    } else if has(ctx, "values_int64s") {
        DType::Int64
    } else if has(ctx, "values_floats") {
        DType::Float32
    } else {
        DType::Undefined
    };
    Ok(vec![ctx.shaped_like(0, dtype)?])
}

/// A row of zeros and a one for each element:
/// <https://onnx.ai/onnx/operators/onnx_aionnxml_OneHotEncoder.html>.
pub(super) fn one_hot_encoder(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = match ctx.shape(0)? {
        Ok(dims) => dims,
        Err(reason) => return Ok(vec![Fact::unranked(DType::Float32, reason)]),
    };
    let categories = ["cats_int64s", "cats_strings"]
        .iter()
        .find_map(|name| count(ctx, name).filter(|count| *count > 0));
    let categories = match categories {
        Some(count) => Expr::from(count),
        None => ctx.fresh("the number of categories"),
    };
    Ok(vec![Fact::tensor(DType::Float32, dims.iter().cloned().chain([categories]))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, ints, shape};

    #[test]
    fn columns_are_chosen() {
        let of = |text: &str| {
            let ctx =
                Try::new("ArrayFeatureExtractor", 1).input(dims(text)).input(ints(&[0, 2, 2]));
            shape(&ctx.one(array_feature_extractor))
        };
        assert_eq!(of("n 4"), "n 3");
        assert_eq!(of("4"), "1 3");
    }

    #[test]
    fn columns_are_side_by_side() {
        let ctx = || Try::new("FeatureVectorizer", 1).input(dims("n 2")).input(dims("3 4"));
        assert_eq!(shape(&ctx().one(feature_vectorizer)), "3 6");
        let reported = ctx().ints("inputdimensions", &[2, 5]);
        assert_eq!(shape(&reported.one(feature_vectorizer)), "3 7");
    }

    #[test]
    fn labels_take_the_type_of_the_values() {
        let ctx =
            Try::new("LabelEncoder", 2).input(ints(&[1, 2])).with("values_strings", Attr::Texts(3));
        let fact = ctx.one(label_encoder);
        assert_eq!((shape(&fact).as_str(), fact.as_tensor().unwrap().dtype), ("2", DType::String));
        let ctx = Try::new("LabelEncoder", 1)
            .input(ints(&[1, 2]))
            .with("classes_strings", Attr::Texts(3));
        assert_eq!(ctx.one(label_encoder).as_tensor().unwrap().dtype, DType::String);
    }
}
