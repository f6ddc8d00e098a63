//! Whether the stream is normalized before the attention, or after it was added.

use calipers_ops::Movement;
use calipers_report::NormPosition;

use super::stream::{NORMS, Stream};
use crate::network::{Network, Op, Val};

/// Steps from the projection back to the norm.
const MAX_STEPS: usize = 12;

/// Units that are looked at for an addition.
const MAX_USERS: usize = 32;

/// `pre` when the addition around the attention reads what the norm is given, `post` when it reads
/// what the norm gives.
pub(super) fn position(net: &Network<'_>, query: &Stream) -> Option<NormPosition> {
    let mut val = *query.sources.first()?;
    for _ in 0..MAX_STEPS {
        if is_added(net, val) {
            let given = net.behind_views(val, &mut Vec::new(), MAX_STEPS);
            return net.made_by(given, NORMS).map(|_| NormPosition::Post);
        }
        let unit = net.unit(net.producer(val)?);
        let input = unit.input(0)?;
        val = match unit.op {
            _ if unit.is(NORMS) => return is_added(net, input).then_some(NormPosition::Pre),
            Op::Operator("Add") => net.data_and_constant(unit)?.0,
            _ if unit.is_layout() => input,
            _ if matches!(
                unit.movement(),
                Some(Movement::Join | Movement::Pad | Movement::Slice)
            ) =>
            {
                input
            }
            _ => return None,
        };
    }
    None
}

/// Whether a value is added to another that follows from the data.
fn is_added(net: &Network<'_>, val: Val) -> bool {
    let mut users = net.uses(val).take(MAX_USERS).map(|user| net.unit(user));
    users.any(|user| user.is("Add") && net.data_pair(user).is_some())
}
