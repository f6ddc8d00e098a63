//! `Operation`: an operator with its arguments by name.

use calipers_ir::NameId;

use super::program::Program;
use super::value::{self, Constant, Setting, Typed};
use crate::coreml::fields::{entry, text};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Longest name of a value. Cutting one could make two names one.
const MAX_NAME: u64 = 64 * 1024;

/// An operator as the file has it.
#[derive(Default)]
pub(super) struct Operation<'a> {
    /// What it computes, such as `conv`.
    pub(super) kind: String,
    /// Its name.
    pub(super) name: String,
    /// Its arguments: a name, and the values for it.
    pub(super) arguments: Vec<(String, Vec<NameId>)>,
    /// Its outputs.
    pub(super) outputs: Vec<(NameId, Typed)>,
    /// The blocks inside it.
    pub(super) blocks: Vec<Part<'a>>,
    /// The value of a constant.
    pub(super) held: Option<Constant>,
}

impl Operation<'_> {
    /// The values given for an argument.
    pub(super) fn given(&self, argument: &str) -> &[NameId] {
        let found = self.arguments.iter().find(|(name, _)| name == argument);
        found.map_or(&[], |(_, values)| values)
    }

    /// The type of the first output.
    pub(super) fn output_type(&self) -> Option<&Typed> {
        self.outputs.first().map(|(_, typed)| typed)
    }
}

impl<'a> Program<'_, 'a> {
    /// Reads an operator.
    pub(super) fn operation(&mut self, part: Part<'a>) -> Result<Operation<'a>, Trace> {
        let mut operation = Operation::default();
        let mut attributes = Vec::new();
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => operation.kind = text(part),
                (2, Payload::Bytes(part)) => {
                    let (name, argument) = entry(part)?;
                    let values =
                        argument.map(|part| self.argument(part)).transpose()?.unwrap_or_default();
                    operation.arguments.push((name, values));
                }
                (3, Payload::Bytes(part)) => {
                    let (name, typed) = value::named_type(part)?;
                    operation.outputs.push((self.name(name)?, typed));
                }
                (4, Payload::Bytes(part)) => operation.blocks.push(part),
                (5, Payload::Bytes(part)) => attributes.push(entry(part)?),
                _ => {}
            }
        }
        for (name, part) in attributes {
            let Some(part) = part else { continue };
            let constant = value::value(part, self.blobs, &mut self.assembly.builder.names)?;
            let Some(constant) = constant else { continue };
            match name.as_str() {
                "name" => {
                    if let Setting::Texts(texts) = constant.setting {
                        operation.name = texts.into_iter().next().unwrap_or_default();
                    }
                }
                "val" => operation.held = Some(constant),
                // Operators that make weights from codes have their arguments here.
                _ => {
                    let value = self.add_unnamed(constant);
                    operation.arguments.push((name, vec![value]));
                }
            }
        }
        Ok(operation)
    }

    /// `Argument`: names of values, or values themselves.
    fn argument(&mut self, part: Part<'a>) -> Result<Vec<NameId>, Trace> {
        let mut values = Vec::new();
        for field in Message::from(part).fields() {
            let field = field?;
            let (1, Payload::Bytes(part)) = (field.number, field.payload) else { continue };
            for field in Message::from(part).fields() {
                let field = field?;
                match (field.number, field.payload) {
                    (1, Payload::Bytes(part)) => values.push(self.name(part)?),
                    (2, Payload::Bytes(part)) => {
                        let names = &mut self.assembly.builder.names;
                        match value::value(part, self.blobs, names)? {
                            Some(constant) => values.push(self.add_unnamed(constant)),
                            None => values.push(self.assembly.builder.names.empty()),
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(values)
    }

    /// The name in these bytes.
    pub(super) fn name(&mut self, part: Part<'_>) -> Result<NameId, Trace> {
        if part.len() > MAX_NAME {
            return Err(Trace::new(part.start(), format!("a name has {} bytes", part.len())));
        }
        Ok(self.assembly.builder.names.intern_bytes(part.bytes()?))
    }
}
