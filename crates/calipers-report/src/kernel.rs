//! Kernels, and what limits them.

use crate::names::names;

names! {
    /// What kind of work a kernel does, as far as its speed goes.
    pub exhaustive enum KernelKind default Other {
        Attention = "attention" => "attention",
        BatchNorm = "batch-norm" => "batch norm",
        /// A convolution over space.
        Conv = "conv" => "convolution",
        /// A copy in another order.
        Copy = "copy" => "copy",
        /// A convolution of each channel by itself.
        Depthwise = "depthwise" => "depthwise convolution",
        Elementwise = "elementwise" => "element-wise",
        Gather = "gather" => "gather",
        /// A matrix product.
        Gemm = "gemm" => "GEMM",
        /// A product of so few rows that reading the weights is most of the work.
        Gemv = "gemv" => "GEMV",
        /// A convolution of groups of channels.
        Grouped = "grouped" => "grouped convolution",
        LayerNorm = "layer-norm" => "layer norm",
        /// A convolution of single points: a matrix product in another layout.
        Pointwise = "pointwise" => "pointwise convolution",
        Pool = "pool" => "pooling",
        Recurrent = "recurrent" => "recurrence",
        Reduce = "reduce" => "reduction",
        Softmax = "softmax" => "softmax",
        /// A convolution of so few channels that tensor cores stay empty.
        Stem = "stem" => "stem convolution",
        /// Anything else that runs.
        Other = "other" => "other",
    }
}

names! {
    /// What takes most of the time of a run.
    pub enum Bottleneck {
        /// Arithmetic.
        Compute = "compute" => "compute",
        /// Getting from kernel to kernel.
        LaunchOverhead = "launch-overhead" => "launch overhead",
        /// Reading and writing memory.
        MemoryBandwidth = "memory-bandwidth" => "memory bandwidth",
    }
}
