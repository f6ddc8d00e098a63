//! The text form of the library: a line per network.
//!
//! ```text
//! resnet50 → resnet → ResNet-50 → c64x3x7x7 c64x64x1x1 … 3*(c256x64x1x1 …) l1000x2048
//! ```
//!
//! Name, family, variant and weights are separated by tabs (`→` above). A weight is a letter and
//! dimensions: `c` convolution, `t` transposed convolution, `l` linear layer, `r` recurrent layer,
//! `e` table that is looked up, `p` another parameter. `g` and a number behind a convolution are
//! its groups. `12*(…)` repeats what is inside.

/// How a network uses a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Multiplied with data: convolutions, linear and recurrent layers.
    Computed,
    /// Looked up.
    Table,
    /// Anything else: position tables that are added, learned tokens, biases by position.
    Other,
}

/// A network of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) family: String,
    pub(crate) variant: String,
    pub(crate) weights: Vec<(Role, Vec<i64>)>,
}

/// Nested repetitions that are read.
const MAX_DEPTH: usize = 4;

impl Row {
    /// Parses a line.
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, family, variant, weights] = columns[..] else {
            return Err(format!("expected 4 columns, found {}", columns.len()));
        };
        let mut reader = Reader { rest: weights };
        let weights = reader.sequence(0)?;
        match reader.rest {
            "" => Ok(Self {
                name: name.to_owned(),
                family: family.to_owned(),
                variant: variant.to_owned(),
                weights,
            }),
            rest => Err(format!("unexpected `{rest}`")),
        }
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    fn sequence(&mut self, depth: usize) -> Result<Vec<(Role, Vec<i64>)>, String> {
        let mut weights = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches(' ');
            match self.rest.chars().next() {
                None | Some(')') => return Ok(weights),
                Some('0'..='9') if depth < MAX_DEPTH => {
                    let times = self.number()?;
                    self.expect("*(")?;
                    let inside = self.sequence(depth + 1)?;
                    self.expect(")")?;
                    for _ in 0..times {
                        weights.extend(inside.iter().cloned());
                    }
                }
                Some(letter) => {
                    let role = match letter {
                        'c' | 't' | 'l' | 'r' => Role::Computed,
                        'e' => Role::Table,
                        'p' => Role::Other,
                        other => return Err(format!("unknown letter `{other}`")),
                    };
                    self.rest = &self.rest[1..];
                    weights.push((role, self.dims()?));
                }
            }
        }
    }

    fn dims(&mut self) -> Result<Vec<i64>, String> {
        let mut dims = vec![self.number()?];
        while self.rest.starts_with('x') {
            self.rest = &self.rest[1..];
            dims.push(self.number()?);
        }
        if self.rest.starts_with('g') {
            self.rest = &self.rest[1..];
            self.number()?;
        }
        Ok(dims)
    }

    fn number(&mut self) -> Result<i64, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().map_err(|_| format!("expected a number before `{rest}`"))
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(format!("expected `{text}` before `{}`", self.rest)),
        }
    }
}
