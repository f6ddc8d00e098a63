//! CRC-64/NVME with the interface of the crate of this name.
//!
//! `object_store` puts this checksum on what it uploads to S3, which Calipers never does. The original exports C
//! functions that every library linked with it keeps, with tables for all the checksums there are: 670 kB of the Python
//! wheel.
#![forbid(unsafe_code)]

/// The checksums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrcAlgorithm {
    /// That of S3 and NVM Express.
    Crc64Nvme,
}

/// The checksum of the bytes so far.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

/// 0xad93d23594c93659 with its bits reversed.
const POLYNOMIAL: u64 = 0x9a6c_9329_ac4b_c9b5;

impl Digest {
    /// That of no bytes.
    pub fn new(_: CrcAlgorithm) -> Self {
        Self(u64::MAX)
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 ^= u64::from(byte);
            for _ in 0..8 {
                self.0 = (self.0 >> 1) ^ if self.0 & 1 == 1 { POLYNOMIAL } else { 0 };
            }
        }
    }

    /// The checksum.
    pub fn finalize(&self) -> u64 {
        !self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value that is published for CRC-64/NVME: the checksum of `123456789`.
    #[test]
    fn the_published_check_value() {
        let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
        digest.update(b"1234");
        digest.update(b"56789");
        assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    }
}
