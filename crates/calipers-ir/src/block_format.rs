//! Formats of numbers that share scales in blocks, as GGUF stores them.

macro_rules! block_formats {
    ($($variant:ident = $name:literal, $bits:literal, $elements:literal, $bytes:literal;)+) => {
        /// A format that stores a block of numbers with the scales they share.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum BlockFormat {
            $(
                #[doc = concat!("`", $name, "`: ", $elements, " elements in ", $bytes, " bytes.")]
                $variant,
            )+
        }

        impl BlockFormat {
            /// Every format, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// Bits of an element by the name of the format; scales come on top.
            pub const fn bits(self) -> u32 {
                match self { $(Self::$variant => $bits,)+ }
            }

            /// Elements of a block.
            pub const fn block_elements(self) -> u64 {
                match self { $(Self::$variant => $elements,)+ }
            }

            /// Bytes of a block.
            pub const fn block_bytes(self) -> u64 {
                match self { $(Self::$variant => $bytes,)+ }
            }
        }
    };
}

// Sizes of the structs of ggml-common.h, which are those of GGML_QUANT_SIZES in the Python package
// gguf; but for Q8_1, which is an intermediate type that no file has and where the package counts
// scales of 32 bits.
block_formats! {
    Iq1M = "iq1_m", 1, 256, 56;
    Iq1S = "iq1_s", 1, 256, 50;
    Iq2S = "iq2_s", 2, 256, 82;
    Iq2Xs = "iq2_xs", 2, 256, 74;
    Iq2Xxs = "iq2_xxs", 2, 256, 66;
    Iq3S = "iq3_s", 3, 256, 110;
    Iq3Xxs = "iq3_xxs", 3, 256, 98;
    Iq4Nl = "iq4_nl", 4, 32, 18;
    Iq4Xs = "iq4_xs", 4, 256, 136;
    Mxfp4 = "mxfp4", 4, 32, 17;
    Nvfp4 = "nvfp4", 4, 64, 36;
    Q1_0 = "q1_0", 1, 128, 18;
    Q2K = "q2_k", 2, 256, 84;
    Q3K = "q3_k", 3, 256, 110;
    Q4_0 = "q4_0", 4, 32, 18;
    Q4_1 = "q4_1", 4, 32, 20;
    Q4K = "q4_k", 4, 256, 144;
    Q5_0 = "q5_0", 5, 32, 22;
    Q5_1 = "q5_1", 5, 32, 24;
    Q5K = "q5_k", 5, 256, 176;
    Q6K = "q6_k", 6, 256, 210;
    Q8_0 = "q8_0", 8, 32, 34;
    Q8_1 = "q8_1", 8, 32, 36;
    Q8K = "q8_k", 8, 256, 292;
    Tq1_0 = "tq1_0", 1, 256, 54;
    Tq2_0 = "tq2_0", 2, 256, 66;
    // Indices that are packed without padding, as Core ML stores those of weights in tables.
    Uint1 = "uint1", 1, 8, 1;
    Uint3 = "uint3", 3, 8, 3;
    Uint6 = "uint6", 6, 4, 3;
}

impl BlockFormat {
    /// Whether its elements are floats of few bits.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Mxfp4 | Self::Nvfp4)
    }

    /// Bytes that elements take; `None` where they do not fit 64 bits.
    pub fn bytes(self, elements: u64) -> Option<u64> {
        let blocks = u128::from(elements).div_ceil(u128::from(self.block_elements()));
        u64::try_from(blocks * u128::from(self.block_bytes())).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_whole() {
        // 4,096 elements are 16 blocks of 144 bytes: 4.5 bits each.
        assert_eq!(BlockFormat::Q4K.bytes(4096), Some(2304));
        assert_eq!(BlockFormat::Q4_0.bytes(33), Some(36));
    }
}
