//! Bars.
