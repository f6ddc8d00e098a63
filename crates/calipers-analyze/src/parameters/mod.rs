//! Learned weights, told apart from everything else that a file stores.
//!
//! No file says which of its tensors were learned; the graph shows it by how it uses them. Three
//! steps: [`uses`] finds for every value what becomes of it, [`role`] decides from those uses and
//! from the tensor's type and size what it is, [`count`] adds up.

mod count;
mod role;
mod stored;
mod uses;

use calipers_ir::Model;
use calipers_report::{Assumption, Parameters, Unknown};

use crate::walk::Meanings;

/// The parameters' section of the report.
pub(crate) fn measure(
    model: &Model,
    unknown: &mut Vec<Unknown>,
    assumptions: &mut Vec<Assumption>,
) -> Parameters {
    let meanings = Meanings::find(model);
    let uses = uses::find(model, &meanings);
    let stored = stored::list(model, &meanings, &uses);
    count::count(model, &stored, unknown, assumptions)
}
