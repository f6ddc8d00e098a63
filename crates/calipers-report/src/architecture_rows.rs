//! Display names of the architecture's figures, and the figures as rows for people.

use crate::{ArchitectureFacts, units};

impl ArchitectureFacts {
    /// Every field with its display name, in the order in which rows show them.
    pub const DISPLAY_NAMES: &[(&str, &str)] = &[
        ("layers", "Layers"),
        ("hidden", "Hidden size"),
        ("ffn", "Feed-forward size"),
        ("heads", "Attention heads"),
        ("kv_heads", "KV heads"),
        ("head_dim", "Head dimension"),
        ("attention", "Attention"),
        ("cross_attention", "Cross-attention"),
        ("rope", "Rotary position embedding"),
        ("vocab", "Vocabulary size"),
        ("experts", "Experts"),
        ("experts_per_token", "Experts per token"),
        ("convs", "Convolutions"),
        ("depthwise", "Depthwise convolutions"),
        ("resolutions", "Feature resolutions"),
        ("total_stride", "Total stride"),
        ("squeeze_excite", "Squeeze-and-excitation blocks"),
        ("residuals", "Residual additions"),
        ("skip_concats", "Concatenating skip connections"),
        ("norm", "Normalization"),
        ("norm_position", "Norm position"),
        ("batchnorm_folded", "BatchNorm folded"),
        ("activation", "Activation"),
        ("silu", "SiLU activations"),
        ("strides", "Strides"),
        ("positions", "Positions"),
        ("classes", "Classes"),
        ("bidirectional", "Bidirectional"),
        ("trees", "Trees"),
        ("kv_cache", "KV cache"),
        ("kv_bytes_per_token", "KV cache per token"),
        ("precision", "Precision"),
    ];

    /// Returns the display name of a field, such as `Feed-forward size` of `ffn`.
    ///
    /// ```
    /// use calipers_report::ArchitectureFacts;
    ///
    /// assert_eq!(ArchitectureFacts::display_name("kv_heads"), Some("KV heads"));
    /// assert_eq!(ArchitectureFacts::display_name("no_such_field"), None);
    /// ```
    pub fn display_name(field: &str) -> Option<&'static str> {
        let row = Self::DISPLAY_NAMES.iter().find(|(name, _)| *name == field);
        row.map(|(_, display_name)| *display_name)
    }

    /// Returns the figures that apply as rows of display name and formatted value.
    ///
    /// A figure that says nothing new has no row: KV heads when every head has its own, a count of
    /// zero, a property that the network lacks.
    ///
    /// ```
    /// use calipers_report::ArchitectureFacts;
    ///
    /// let facts = ArchitectureFacts { vocab: Some(30_522), rope: Some(false), ..Default::default() };
    /// assert_eq!(facts.display_rows(), [("Vocabulary size", "30,522".to_owned())]);
    /// ```
    pub fn display_rows(&self) -> Vec<(&'static str, String)> {
        let rows = Self::DISPLAY_NAMES.iter();
        rows.filter_map(|(field, name)| Some((*name, self.display_value(field)?))).collect()
    }

    /// Returns the value of a field as text, where it has a row.
    fn display_value(&self, field: &str) -> Option<String> {
        let yes = |is: Option<bool>| (is == Some(true)).then(|| "yes".to_owned());
        let some = |count: Option<i64>| count.filter(|count| *count > 0).map(number);
        match field {
            "layers" => self.layers.map(number),
            "hidden" => self.hidden.map(number),
            "ffn" => self.ffn.map(number),
            "heads" => self.heads.map(number),
            "kv_heads" => self.kv_heads.filter(|_| self.kv_heads != self.heads).map(number),
            "head_dim" => self.head_dim.map(number),
            "attention" => self.attention.map(|kind| kind.display_name().to_owned()),
            "cross_attention" => yes(self.cross_attention),
            "rope" => yes(self.rope),
            "vocab" => self.vocab.map(number),
            "experts" => self.experts.map(number),
            "experts_per_token" => self.experts_per_token.map(number),
            "convs" => some(self.convs),
            "depthwise" => some(self.depthwise),
            "resolutions" => some(self.resolutions),
            "total_stride" => some(self.total_stride),
            "squeeze_excite" => some(self.squeeze_excite),
            "residuals" => some(self.residuals),
            "skip_concats" => yes(self.skip_concats),
            "norm" => {
                let norms = self.norm.iter();
                let norms =
                    norms.map(|(kind, n)| format!("{} {}", number(*n), kind.display_name()));
                Some(norms.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
            }
            "norm_position" => self.norm_position.map(|at| at.display_name().to_owned()),
            "batchnorm_folded" => {
                (self.batchnorm_folded == Some(true)).then(|| "into the convolutions".to_owned())
            }
            "activation" => self.activation.map(|kind| kind.display_name().to_owned()),
            // Repeats the row of the activation where that is SiLU as well.
            "silu" => some(self.silu).filter(|_| self.activation != Some(crate::Activation::Silu)),
            "strides" => self.strides.as_ref().map(|strides| {
                strides.iter().map(|stride| number(*stride)).collect::<Vec<_>>().join(", ")
            }),
            "positions" => self.positions.map(number),
            "classes" => self.classes.map(number),
            "bidirectional" => yes(self.bidirectional),
            "trees" => self.trees.map(number),
            "kv_cache" => yes(self.kv_cache),
            "kv_bytes_per_token" => self
                .kv_bytes_per_token
                .and_then(|bytes| u64::try_from(bytes).ok())
                .map(units::bytes),
            "precision" => self.precision.clone(),
            _ => None,
        }
    }
}

/// A whole number with thousands separators.
fn number(value: i64) -> String {
    units::signed(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, AttentionKind, NormKind, NormPosition};

    /// Facts with a value in every field that has a row.
    fn full() -> ArchitectureFacts {
        ArchitectureFacts {
            layers: Some(12),
            heads: Some(12),
            kv_heads: Some(4),
            head_dim: Some(64),
            hidden: Some(768),
            ffn: Some(3072),
            attention: Some(AttentionKind::GroupedQuery),
            rope: Some(true),
            cross_attention: Some(true),
            vocab: Some(30_522),
            experts: Some(8),
            experts_per_token: Some(2),
            norm: [(NormKind::LayerNorm, 25)].into(),
            norm_position: Some(NormPosition::Post),
            activation: Some(Activation::Gelu),
            residuals: Some(24),
            convs: Some(1),
            depthwise: Some(1),
            resolutions: Some(5),
            total_stride: Some(32),
            squeeze_excite: Some(1),
            silu: Some(1),
            batchnorm_folded: Some(true),
            skip_concats: Some(true),
            strides: Some(vec![8, 16]),
            positions: Some(8400),
            classes: Some(80),
            bidirectional: Some(true),
            trees: Some(100),
            kv_cache: Some(true),
            kv_bytes_per_token: Some(524_288),
            precision: Some("fp32".to_owned()),
        }
    }

    #[test]
    fn every_field_has_a_display_name_and_a_row() {
        let json = serde_json::to_value(full()).unwrap();
        let fields = json.as_object().unwrap();
        for field in fields.keys() {
            assert!(ArchitectureFacts::display_name(field).is_some(), "{field}");
            assert!(full().display_value(field).is_some(), "{field}");
        }
        assert_eq!(fields.len(), ArchitectureFacts::DISPLAY_NAMES.len());
        assert_eq!(full().display_rows().len(), fields.len());
    }

    #[test]
    fn rows_leave_out_what_goes_without_saying() {
        let facts = ArchitectureFacts {
            heads: Some(12),
            kv_heads: Some(12),
            depthwise: Some(0),
            bidirectional: Some(false),
            ..ArchitectureFacts::default()
        };
        assert_eq!(facts.display_rows(), [("Attention heads", "12".to_owned())]);
    }
}
