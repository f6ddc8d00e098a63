//! The builder and the built-in models, read back by a decoder of their own.

mod builder;
mod samples;
mod wire;
