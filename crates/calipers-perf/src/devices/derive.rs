//! Peaks from the ground up: units × clock × operations per clock and unit.
//!
//! The rates are properties of an architecture. They check the table, catch a sparse figure in a
//! user's file, and give the peaks of a device that is found but not listed.

use calipers_report::DeviceClass;
use calipers_report::Precision::{self, Bf16, Fp4, Fp8, Fp16, Fp32, Int4, Int8, Tf32};

use crate::devices::device::Device;

/// A peak and what it is the product of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Derived {
    /// Dense FLOP/s, or integer operations a second.
    pub flops: f64,
    /// Multiprocessors, compute units or cores.
    pub units: u32,
    /// Clock in MHz: the matrix clock where there is one and the rate is a matrix rate.
    pub clock_mhz: f64,
    /// Operations per clock and unit; a multiply-add counts as two.
    pub rate: u32,
}

/// Which devices of an architecture a row is for: one name covers chips of different rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Any,
    Consumer,
    Module,
    /// With stacked memory: the chips for training.
    Stacked,
    /// Neither consumer nor module.
    Professional,
}

impl Part {
    fn covers(self, device: &Device) -> bool {
        match self {
            Self::Any => true,
            Self::Consumer => device.class == DeviceClass::GpuConsumer,
            Self::Module => device.class == DeviceClass::EdgeModule,
            Self::Stacked => {
                Self::Professional.covers(device)
                    && device.memory_type.as_deref().is_some_and(|memory| memory.starts_with("HBM"))
            }
            Self::Professional => device.class == DeviceClass::GpuDatacenter,
        }
    }
}

/// An architecture, the part of it, and operations per clock and unit.
type Rates = (&'static str, Part, &'static [(Precision, u32)]);

/// Dense operations per clock and unit. The first row that covers a device holds for it.
///
/// NVIDIA's are per multiprocessor, AMD's per compute unit, Intel's per Xe core, CPUs' per core.
/// GeForce halves what accumulates in fp32, which is the fp16 that [`Precision::Fp16`] means.
/// By hand, against published peaks:
/// ```text
/// V100      80 × 1.530 GHz × 1024 = 125.3 TFLOPS fp16       (published 125)
/// T4        40 × 1.590 GHz × 1024 =  65.1 TFLOPS fp16       (65);  × 2048 = 130.3 TOPS int8 (130)
/// A100     108 × 1.410 GHz × 2048 = 311.9 TFLOPS fp16       (312); × 4096 = 623.7 TOPS int8 (624)
/// A10       72 × 1.695 GHz × 1024 = 125.0 TFLOPS fp16       (125); × 2048 = 249.9 TOPS int8 (250)
/// RTX 3090  82 × 1.695 GHz × 2048 = 284.7 TOPS int8         (284)
/// RTX 4090 128 × 2.520 GHz × 2048 = 660.6 TOPS int8         (660.6)
/// RTX 5090 170 × 2.407 GHz × 2048 = 838.0 TOPS int8         (838); × 4096 = 1676 TFLOPS fp4 (1676)
/// H100     132 × 1.830 GHz × 4096 = 989.4 TFLOPS fp16       (989); × 8192 = 1979 TOPS int8 (1979)
/// AGX Orin  16 × 1.300 GHz × 4096 =  85.2 TOPS int8         (85)
/// MI300X   304 × 2.100 GHz × 2048 = 1307.4 TFLOPS fp16      (1307.4)
/// MI355X   256 × 2.400 GHz × 4096 = 2516.6 TFLOPS fp16      (2517); × 8192 = 5033 TFLOPS fp8 (5033)
/// ```
const RATES: &[Rates] = &[
    ("ARMv8", Part::Any, &[(Fp32, 8)]),
    // Two 128-bit pipes; SDOT makes four int8 products where fp32 makes one.
    ("ARMv8.2", Part::Any, &[(Fp32, 16), (Fp16, 32), (Int8, 64)]),
    // Two 512-bit pipes; bf16 and int8 are AMX's.
    ("AVX-512", Part::Any, &[(Fp32, 64), (Bf16, 1024), (Int8, 2048)]),
    // Two 256-bit pipes.
    ("AVX2", Part::Any, &[(Fp32, 32)]),
    (
        "Ada Lovelace",
        Part::Consumer,
        &[
            (Fp32, 256),
            (Tf32, 256),
            (Fp16, 512),
            (Bf16, 512),
            (Fp8, 1024),
            (Int8, 2048),
            (Int4, 4096),
        ],
    ),
    (
        "Ada Lovelace",
        Part::Professional,
        &[
            (Fp32, 256),
            (Tf32, 512),
            (Fp16, 1024),
            (Bf16, 1024),
            (Fp8, 2048),
            (Int8, 2048),
            (Int4, 4096),
        ],
    ),
    (
        "Ampere",
        Part::Consumer,
        &[(Fp32, 256), (Tf32, 256), (Fp16, 512), (Bf16, 512), (Int8, 2048), (Int4, 4096)],
    ),
    ("Ampere", Part::Module, &[(Fp32, 256), (Fp16, 2048), (Bf16, 2048), (Int8, 4096)]),
    (
        "Ampere",
        Part::Stacked,
        &[(Fp32, 128), (Tf32, 1024), (Fp16, 2048), (Bf16, 2048), (Int8, 4096), (Int4, 8192)],
    ),
    (
        "Ampere",
        Part::Professional,
        &[(Fp32, 256), (Tf32, 512), (Fp16, 1024), (Bf16, 1024), (Int8, 2048), (Int4, 4096)],
    ),
    (
        "Blackwell 2.0",
        Part::Consumer,
        &[
            (Fp32, 256),
            (Tf32, 256),
            (Fp16, 512),
            (Bf16, 512),
            (Fp8, 1024),
            (Int8, 2048),
            (Fp4, 4096),
        ],
    ),
    ("CDNA 2.0", Part::Any, &[(Fp32, 128), (Fp16, 1024), (Bf16, 1024)]),
    ("CDNA 3.0", Part::Any, &[(Fp32, 128), (Fp16, 2048), (Bf16, 2048), (Fp8, 4096), (Int8, 4096)]),
    (
        "CDNA 4",
        Part::Any,
        &[(Fp32, 256), (Fp16, 4096), (Bf16, 4096), (Fp8, 8192), (Int8, 8192), (Fp4, 16384)],
    ),
    (
        "Hopper",
        Part::Any,
        &[(Fp32, 256), (Tf32, 2048), (Fp16, 4096), (Bf16, 4096), (Fp8, 8192), (Int8, 8192)],
    ),
    // Tegra X1: packed halves.
    ("Maxwell", Part::Module, &[(Fp32, 256), (Fp16, 512)]),
    // Xe-HPC: eight vector and eight matrix engines in a core.
    (
        "Ponte Vecchio",
        Part::Any,
        &[(Fp32, 256), (Tf32, 2048), (Fp16, 4096), (Bf16, 4096), (Int8, 8192)],
    ),
    ("RDNA 3.0", Part::Any, &[(Fp32, 256), (Fp16, 512)]),
    ("RDNA 4.0", Part::Any, &[(Fp32, 256), (Fp16, 512)]),
    ("Turing", Part::Consumer, &[(Fp32, 128), (Fp16, 512), (Int8, 2048), (Int4, 4096)]),
    ("Turing", Part::Professional, &[(Fp32, 128), (Fp16, 1024), (Int8, 2048), (Int4, 4096)]),
    ("Volta", Part::Any, &[(Fp32, 128), (Fp16, 1024)]),
    // Packed halves; the matrix units' rates are not filled.
    ("Xe-HPG", Part::Any, &[(Fp32, 256), (Fp16, 512)]),
    ("Xe2-HPG", Part::Any, &[(Fp32, 256), (Fp16, 512)]),
];

/// A stated peak that is this many times the derived one looks sparse. It is somewhat below two
/// because the clock that a vendor takes for its peaks is often below the boost clock.
const SPARSE: f64 = 1.85;

impl Device {
    /// Dense operations of its architecture per clock and unit; `None` where not known.
    pub fn rate(&self, precision: Precision) -> Option<u32> {
        let mut rows = RATES.iter().filter(|(name, ..)| *name == self.architecture);
        let (_, _, rates) = rows.find(|(_, part, _)| part.covers(self))?;
        rates.iter().find(|(known, _)| *known == precision).map(|(_, rate)| *rate)
    }

    /// The dense peak as units × clock × rate; `None` where one of them is not known.
    pub fn derived_peak(&self, precision: Precision) -> Option<Derived> {
        let rate = self.rate(precision)?;
        let units = self.units?;
        let matrix = self.matrix_clock_mhz.filter(|_| precision != Precision::Fp32);
        let clock_mhz = matrix.or(self.clock_mhz)?;
        let flops = f64::from(units) * clock_mhz * 1e6 * f64::from(rate);
        Some(Derived { flops, units, clock_mhz, rate })
    }

    /// What a peak should be, where the stated one looks like its double: sparse, or accumulated
    /// in fewer bits.
    pub fn looks_sparse(&self, precision: Precision) -> Option<Derived> {
        let derived = self.derived_peak(precision)?;
        (self.peak(precision)? >= SPARSE * derived.flops).then_some(derived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_sorted_and_unique() {
        for (before, after) in RATES.iter().zip(&RATES[1..]) {
            assert!(before.0 <= after.0, "{} {}", before.0, after.0);
            assert!(before.0 != after.0 || before.1 != after.1, "{} has two rows", before.0);
        }
        for (name, _, rates) in RATES {
            assert!(rates.iter().zip(&rates[1..]).all(|(a, b)| a.0 < b.0), "{name} is not sorted");
        }
    }
}
