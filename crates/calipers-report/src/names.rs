//! Closed sets of words: an enum, its ids and its display names in one table.

use std::fmt;

/// A text that is not an id of a closed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownId {
    /// The set, by the name of its type.
    pub set: &'static str,
    /// The text.
    pub text: String,
}

impl fmt::Display for UnknownId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown {} {:?}", self.set, self.text)
    }
}

impl std::error::Error for UnknownId {}

/// Defines a closed set of words, one line to a value: `Variant = "id" => "display name"`.
///
/// Ids appear in JSON and on the command line; display names in everything that people read. There
/// is deliberately no `Display`: a caller says which of the two it wants.
///
/// The enum is `#[non_exhaustive]`, since sets grow; `pub exhaustive enum` defines one that does not.
/// `default Variant` after the name implements `Default`.
macro_rules! names {
    (
        $(#[doc = $doc:literal])+
        pub enum $name:ident $(default $default:ident)? { $($values:tt)+ }
    ) => {
        $crate::names::names! {
            @define [#[non_exhaustive]] [$($default)?] $(#[doc = $doc])+ $name $($values)+
        }
    };
    (
        $(#[doc = $doc:literal])+
        pub exhaustive enum $name:ident $(default $default:ident)? { $($values:tt)+ }
    ) => {
        $crate::names::names! { @define [] [$($default)?] $(#[doc = $doc])+ $name $($values)+ }
    };
    (
        @define [$(#[$meta:meta])?] [$($default:ident)?]
        $(#[doc = $doc:literal])+
        $name:ident
        $( $(#[doc = $note:literal])* $variant:ident = $id:literal => $display:literal, )+
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $(#[$meta])?
        pub enum $name {
            $(
                $(#[doc = $note])*
                #[doc = concat!("`", $id, "`: ", $display, ".")]
                $variant,
            )+
        }

        impl $name {
            /// Every value, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the id, as JSON has it.
            pub const fn id(self) -> &'static str {
                match self {
                    $( Self::$variant => $id, )+
                }
            }

            /// Returns the name as people write it.
            pub const fn display_name(self) -> &'static str {
                match self {
                    $( Self::$variant => $display, )+
                }
            }
        }

        $(
            impl Default for $name {
                fn default() -> Self {
                    Self::$default
                }
            }
        )?

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownId;

            /// Parses an id.
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $( $id => Ok(Self::$variant), )+
                    _ => Err($crate::UnknownId { set: stringify!($name), text: text.to_owned() }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.id())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                text.parse()
                    .map_err(|_| serde::de::Error::unknown_variant(&text, &[$($id),+]))
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let description = [$($doc.trim()),+].join(" ");
                // In a list of its own: the macro reads it token by token, and a table is long.
                let ids: &[&str] = &[$($id),+];
                schemars::json_schema!({
                    "description": description,
                    "type": "string",
                    "enum": ids,
                })
            }
        }
    };
}

pub(crate) use names;

#[cfg(test)]
mod tests {
    use crate::{
        Activation, AttentionKind, BlockKind, Bottleneck, CompositeKind, Confidence, DeviceClass,
        Evidence, Family, Granularity, KernelKind, ModelKind, NormKind, NormPosition, Precision,
        SkipKind, Style, TaskKind, ValueKind,
    };

    /// Ids are unique and parsed back, through JSON too; display names are not empty.
    macro_rules! check {
        ($($name:ident)+) => {
            $(
                let ids: std::collections::BTreeSet<&str> =
                    $name::ALL.iter().map(|value| value.id()).collect();
                assert_eq!(ids.len(), $name::ALL.len(), "ids of {}", stringify!($name));
                for value in $name::ALL {
                    assert_eq!(value.id().parse(), Ok(*value));
                    let json = serde_json::to_string(value).unwrap();
                    assert_eq!(json, format!("{:?}", value.id()));
                    assert_eq!(serde_json::from_str::<$name>(&json).unwrap(), *value);
                    assert!(!value.display_name().trim().is_empty(), "{}", value.id());
                }
                let error = "no such id".parse::<$name>().unwrap_err();
                assert_eq!(error.set, stringify!($name));
                assert!(serde_json::from_str::<$name>("\"no such id\"").is_err());
            )+
        };
    }

    #[test]
    fn ids_are_unique_and_parsed_back() {
        check!(
            Activation AttentionKind BlockKind Bottleneck CompositeKind Confidence DeviceClass Evidence Family Granularity
            KernelKind ModelKind NormKind NormPosition Precision SkipKind Style TaskKind ValueKind
        );
    }

    #[test]
    fn tables_are_sorted_by_id() {
        assert!(Activation::ALL.is_sorted_by_key(|value| value.id()));
        assert!(AttentionKind::ALL.is_sorted_by_key(|value| value.id()));
        assert!(CompositeKind::ALL.is_sorted_by_key(|value| value.id()));
        assert!(Bottleneck::ALL.is_sorted_by_key(|value| value.id()));
        assert!(Family::ALL.is_sorted_by_key(|value| value.id()));
        assert!(Granularity::ALL.is_sorted_by_key(|value| value.id()));
        assert!(ModelKind::ALL.is_sorted_by_key(|value| value.id()));
        // Maps by kind of norm are in the order of their ids in JSON.
        assert!(NormKind::ALL.is_sorted_by_key(|value| value.id()));
        assert!(NormPosition::ALL.is_sorted_by_key(|value| value.id()));
        assert!(SkipKind::ALL.is_sorted_by_key(|value| value.id()));
        assert!(Style::ALL.is_sorted_by_key(|value| value.id()));
        assert!(ValueKind::ALL.is_sorted_by_key(|value| value.id()));
        // The rest ends with what is not known, or goes from little to much.
        let (last, tasks) = TaskKind::ALL.split_last().unwrap();
        assert!(*last == TaskKind::Unknown && tasks.is_sorted_by_key(|value| value.id()));
        let (last, kernels) = KernelKind::ALL.split_last().unwrap();
        assert!(*last == KernelKind::Other && kernels.is_sorted_by_key(|value| value.id()));
        assert_eq!(Confidence::ALL, [Confidence::Low, Confidence::Medium, Confidence::High]);
    }
}
