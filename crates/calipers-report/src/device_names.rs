//! Closed sets of devices: precisions, classes, kinds of evidence.

use crate::names::names;

names! {
    /// What the inputs of a product are held in. The order is widest first.
    pub exhaustive enum Precision default Fp32 {
        /// 32-bit floats on vector units.
        Fp32 = "fp32" => "fp32",
        /// 32-bit floats rounded to 10 bits of mantissa by matrix units.
        Tf32 = "tf32" => "tf32",
        /// 16-bit floats on matrix units, accumulated in fp32.
        Fp16 = "fp16" => "fp16",
        /// 16-bit floats with the exponents of fp32.
        Bf16 = "bf16" => "bf16",
        /// 8-bit floats.
        Fp8 = "fp8" => "fp8",
        /// 8-bit integers.
        Int8 = "int8" => "int8",
        /// 4-bit integers.
        Int4 = "int4" => "int4",
        /// 4-bit floats.
        Fp4 = "fp4" => "fp4",
    }
}

impl Precision {
    /// Returns the bits of a stored element; tf32 is stored as fp32.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Fp32 | Self::Tf32 => 32,
            Self::Fp16 | Self::Bf16 => 16,
            Self::Fp8 | Self::Int8 => 8,
            Self::Int4 | Self::Fp4 => 4,
        }
    }

    /// Returns the unit of its peaks: `TFLOPS`, or `TOPS` for integers.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Int8 | Self::Int4 => "TOPS",
            Self::Fp32 | Self::Tf32 | Self::Fp16 | Self::Bf16 | Self::Fp8 | Self::Fp4 => "TFLOPS",
        }
    }
}

names! {
    /// The class of a device. The order is that of listings.
    pub exhaustive enum DeviceClass {
        /// A GPU for servers and workstations.
        GpuDatacenter = "gpu-datacenter" => "datacenter GPU",
        /// A GPU for gamers, in a desktop or a laptop.
        GpuConsumer = "gpu-consumer" => "consumer GPU",
        /// A module with its own GPU, CPU and memory, such as Jetson.
        EdgeModule = "edge-module" => "edge module",
        /// A chip whose GPU shares the memory of its CPU, such as Apple's.
        Soc = "soc" => "SoC",
        /// An accelerator for neural networks alone.
        Npu = "npu" => "NPU",
        /// Google's accelerator for its cloud.
        Tpu = "tpu" => "TPU",
        /// A processor.
        Cpu = "cpu" => "CPU",
    }
}

impl DeviceClass {
    /// Whether work is issued to it kernel by kernel, as to a GPU.
    pub const fn launches_kernels(self) -> bool {
        match self {
            Self::GpuDatacenter | Self::GpuConsumer | Self::EdgeModule => true,
            Self::Soc | Self::Npu | Self::Tpu | Self::Cpu => false,
        }
    }
}

names! {
    /// What the figures of a device rest on. The order is that of the head of the device table.
    pub exhaustive enum Evidence {
        /// A document of the vendor states the figures.
        DatasheetCited = "datasheet-cited" => "datasheet",
        /// Memory, clock, units and power from a database; peaks are units × clock × rate.
        DatabaseDerived = "database-derived" => "derived from a database",
        /// An article or a comparison.
        WebPage = "web-page" => "web page",
        /// Arithmetic on units, clock and rate that the vendor states.
        Derived = "derived" => "derived",
        /// Arithmetic with a factor that the vendor does not state, such as the clock of an Apple GPU.
        Estimated = "estimated" => "estimated",
        /// A benchmark on the device.
        Measured = "measured" => "measured",
        /// Found on this machine.
        Detected = "detected" => "detected",
    }
}
