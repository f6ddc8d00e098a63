//! Programs in the Model Intermediate Language: operators with named arguments, in blocks.
//!
//! The operators are described at
//! <https://apple.github.io/coremltools/source/coremltools.converters.mil.mil.ops.defs.html>.

mod arithmetic;
mod lower;
mod movement;
mod operation;
mod program;
mod scope;
mod value;
mod weights;
mod window;

use calipers_ir::assembly::Assembly;
use program::Program;

use super::blobs::Blobs;
use crate::error::Trace;
use crate::wire::Part;

/// Reads the function of a program into a graph.
pub(super) fn read(
    assembly: Assembly<'_>,
    blobs: &mut Blobs,
    part: Part<'_>,
    function: &str,
) -> Result<(), Trace> {
    Program::new(assembly, blobs).read(part, function)
}
