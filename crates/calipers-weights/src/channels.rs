//! Output channels with only zeros.
//!
//! The scan of a row stops at its first nonzero element, and a column is skipped once it has one: in
//! ordinary weights this reads only a few elements.

/// The layout of output channels in a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// There are no channels.
    #[default]
    None,
    /// Each channel is a contiguous run of elements; holds the number of channels.
    Rows(u64),
    /// Each channel is a column; holds the number of channels, which is the stride.
    Columns(u64),
}

/// Which channels of a piece are zero throughout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dead {
    /// Rows that are.
    pub(crate) rows: u64,
    /// Columns that are, a bit each.
    pub(crate) columns: Option<Vec<u64>>,
}

impl Dead {
    /// Adds what another piece of the same tensor has.
    pub(crate) fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        match (&mut self.columns, other.columns) {
            (Some(mine), Some(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine &= theirs);
            }
            (mine @ None, theirs) => *mine = theirs,
            (Some(_), None) => {}
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        let columns = self.columns.iter().flatten();
        self.rows + columns.map(|bits| u64::from(bits.count_ones())).sum::<u64>()
    }
}

/// Looks at a piece of whole rows, `row` bytes each, of floats that are `width` bytes wide.
pub(crate) fn dead(bytes: &[u8], channels: Channels, row: usize, width: usize) -> Dead {
    if row == 0 || width == 0 {
        return Dead::default();
    }
    match channels {
        Channels::None => Dead::default(),
        Channels::Rows(_) => {
            let zero = |row: &&[u8]| row.chunks_exact(width).all(is_zero);
            let rows = bytes.chunks_exact(row).filter(zero).count() as u64;
            Dead { rows, columns: None }
        }
        Channels::Columns(_) => Dead { rows: 0, columns: Some(zero_columns(bytes, row, width)) },
    }
}

fn zero_columns(bytes: &[u8], row: usize, width: usize) -> Vec<u64> {
    let mut rows = bytes.chunks_exact(row);
    let first = rows.next().unwrap_or_default();
    let column = |row: &[u8], at: usize| row.get(at * width..(at + 1) * width).is_some_and(is_zero);
    let mut left: Vec<usize> = (0..row / width).filter(|at| column(first, *at)).collect();
    for row in rows {
        if left.is_empty() {
            break;
        }
        left.retain(|at| column(row, *at));
    }
    let mut bits = vec![0; (row / width).div_ceil(64)];
    for at in left {
        bits[at / 64] |= 1 << (at % 64);
    }
    bits
}

/// Whether a float of any width is zero, of either sign.
fn is_zero(element: &[u8]) -> bool {
    match element.split_last() {
        Some((last, rest)) => last & 0x7f == 0 && rest.iter().all(|byte| *byte == 0),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(floats: &[f32]) -> Vec<u8> {
        floats.iter().flat_map(|float| float.to_le_bytes()).collect()
    }

    #[test]
    fn rows_of_zeros() {
        let bytes = bytes(&[0.0, -0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(dead(&bytes, Channels::Rows(3), 8, 4).count(), 2);
    }

    #[test]
    fn columns_of_zeros_in_every_piece() {
        let channels = Channels::Columns(3);
        let mut all = dead(&bytes(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), channels, 12, 4);
        assert_eq!(all.count(), 2);
        all.merge(dead(&bytes(&[0.0, 2.0, 0.0]), channels, 12, 4));
        assert_eq!(all.count(), 1);
    }

    #[test]
    fn nothing_is_dead_without_channels() {
        assert_eq!(dead(&[0; 8], Channels::None, 4, 4).count(), 0);
        assert_eq!(dead(&[0; 8], Channels::Rows(2), 0, 4).count(), 0);
    }
}
