//! Where the model will run, and how fast.

mod kernels;
