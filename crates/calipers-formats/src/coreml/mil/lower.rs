//! Which operator computes the same as one of a program.

use calipers_ir::assembly::Call;

use super::operation::Operation;
use super::program::Program;
use super::scope::Scope;
use super::{arithmetic, movement, weights, window};
use crate::error::Trace;

/// The domain of operators that several frameworks have.
pub(super) const FRAMEWORKS: &str = "frameworks";

/// The domain of operators that Core ML alone has.
pub(super) const OWN: &str = "coreml";

/// The domain of ONNX Runtime's operators.
pub(super) const MICROSOFT: &str = "com.microsoft";

/// The node for an operator. One without counterpart keeps its name.
pub(super) fn call<'a>(
    program: &mut Program<'_, 'a>,
    operation: &Operation<'a>,
) -> Result<Call, Trace> {
    let mut scope = Scope::new(program, operation);
    for family in [arithmetic::lower, movement::lower, window::lower, weights::lower] {
        family(&mut scope)?;
        if !scope.call.op.is_empty() {
            return Ok(scope.call);
        }
        scope.call.inputs.clear();
        scope.call.attributes.clear();
    }
    scope.take_all()?;
    Ok(scope.call)
}
