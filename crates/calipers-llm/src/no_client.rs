//! The client of a build without connections.

use std::convert::Infallible;
use std::time::Instant;

use calipers_summary::facts::Fact;

use crate::prompt::Message;
use crate::{Error, Settings};

/// There is none.
pub(crate) struct Client(Infallible);

impl Client {
    pub(crate) fn new(_: &Settings, _: &[Fact], _: Instant) -> Result<Self, Error> {
        Err(Error::NotBuilt)
    }

    pub(crate) fn ask(&self, _: &[Message]) -> Result<String, Error> {
        match self.0 {}
    }
}
