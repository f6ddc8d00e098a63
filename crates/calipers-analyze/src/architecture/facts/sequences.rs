//! Attention, feed-forward, embeddings, recurrence.

use calipers_report::ArchitectureFacts;

use crate::net::Net;

pub(super) fn fill(_: &Net<'_>, _: &mut ArchitectureFacts) {}
