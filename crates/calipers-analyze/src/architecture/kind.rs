//! Kind, style and family.

use calipers_report::{Architecture, Task};

use crate::net::Net;

/// Decides what the network is.
pub(crate) fn decide(_: &Net<'_>, _: &Task, _: &mut Architecture) {}
