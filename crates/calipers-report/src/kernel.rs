//! Kernels, the runtimes that launch them, and what limits them.

use crate::names::names;

names! {
    /// What kind of work a kernel does, as far as its speed goes.
    pub exhaustive enum KernelKind default Other {
        Attention = "attention" => "attention",
        BatchNorm = "batch-norm" => "batch norm",
        /// A convolution with a kernel larger than 1x1.
        Conv = "conv" => "convolution",
        /// A transpose, concatenation or other copy.
        Copy = "copy" => "copy",
        /// A convolution with one group per channel.
        Depthwise = "depthwise" => "depthwise convolution",
        Elementwise = "elementwise" => "element-wise",
        Gather = "gather" => "gather",
        /// A matrix product.
        Gemm = "gemm" => "GEMM",
        /// A matrix product of at most four rows: reading the weights dominates.
        Gemv = "gemv" => "GEMV",
        /// A convolution with more than one group.
        Grouped = "grouped" => "grouped convolution",
        LayerNorm = "layer-norm" => "layer norm",
        /// A 1x1 convolution: a matrix product in another layout.
        Pointwise = "pointwise" => "pointwise convolution",
        Pool = "pool" => "pooling",
        Recurrent = "recurrent" => "recurrence",
        Reduce = "reduce" => "reduction",
        Softmax = "softmax" => "softmax",
        /// A convolution with fewer than eight input channels, too few to fill tensor cores.
        Stem = "stem" => "stem convolution",
        /// Anything else that runs.
        Other = "other" => "other",
    }
}

names! {
    /// The software that runs the model. It decides which operators are fused into one kernel.
    pub exhaustive enum Runtime default OnnxRuntime {
        /// The file after ONNX Runtime's graph optimizations, all of them enabled.
        OnnxRuntime = "onnxruntime" => "ONNX Runtime",
        /// The model that the file was exported from, as PyTorch executes it.
        PyTorch = "pytorch" => "PyTorch",
        /// The file as an engine that TensorRT builds.
        TensorRt = "tensorrt" => "TensorRT",
    }
}

names! {
    /// How kernels are issued to the device.
    pub exhaustive enum ExecutionMode default Graph {
        /// The host issues every operation.
        Eager = "eager" => "eager mode",
        /// A CUDA graph is replayed, or a compiled engine runs.
        Graph = "graph" => "CUDA graph",
    }
}

names! {
    /// What takes most of the time of a run.
    pub enum Bottleneck {
        /// Arithmetic.
        Compute = "compute" => "compute",
        /// Launching one kernel after another.
        LaunchOverhead = "launch-overhead" => "launch overhead",
        /// Reading and writing memory.
        MemoryBandwidth = "memory-bandwidth" => "memory bandwidth",
    }
}
