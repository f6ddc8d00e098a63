//! A small FlatBuffer encoder, so that tests write files byte by byte and depend on no library.

/// A table: fields by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table(Vec<(u16, Field)>);

#[derive(Clone, Debug)]
enum Field {
    /// A number, in the table.
    Inline(Vec<u8>),
    /// What the table leads to.
    Table(Table),
    /// A vector: how many elements, and their bytes.
    Vector(usize, Vec<u8>),
    Tables(Vec<Table>),
    Texts(Vec<String>),
}

/// An empty table.
pub(crate) fn table() -> Table {
    Table::default()
}

impl Table {
    fn with(mut self, field: u16, value: Field) -> Self {
        self.0.push((field, value));
        self
    }

    /// A number of 8 bits.
    pub(crate) fn byte(self, field: u16, value: u8) -> Self {
        self.with(field, Field::Inline(vec![value]))
    }

    /// A number of 32 bits.
    pub(crate) fn int(self, field: u16, value: i32) -> Self {
        self.with(field, Field::Inline(value.to_le_bytes().to_vec()))
    }

    /// A number of 64 bits.
    pub(crate) fn long(self, field: u16, value: i64) -> Self {
        self.with(field, Field::Inline(value.to_le_bytes().to_vec()))
    }

    /// A number.
    pub(crate) fn float(self, field: u16, value: f32) -> Self {
        self.with(field, Field::Inline(value.to_le_bytes().to_vec()))
    }

    /// Another table.
    pub(crate) fn table(self, field: u16, value: Table) -> Self {
        self.with(field, Field::Table(value))
    }

    /// Bytes, or a text.
    pub(crate) fn bytes(self, field: u16, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.with(field, Field::Vector(value.len(), value.to_vec()))
    }

    /// Numbers of 32 bits.
    pub(crate) fn ints(self, field: u16, values: &[i32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.with(field, Field::Vector(values.len(), bytes))
    }

    /// Numbers of 64 bits.
    pub(crate) fn longs(self, field: u16, values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.with(field, Field::Vector(values.len(), bytes))
    }

    /// Numbers.
    pub(crate) fn floats(self, field: u16, values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.with(field, Field::Vector(values.len(), bytes))
    }

    /// Tables.
    pub(crate) fn tables(self, field: u16, values: impl IntoIterator<Item = Table>) -> Self {
        self.with(field, Field::Tables(values.into_iter().collect()))
    }

    /// Texts.
    pub(crate) fn texts(self, field: u16, values: &[&str]) -> Self {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        self.with(field, Field::Texts(values))
    }

    /// The file whose root it is.
    pub(crate) fn file(&self, identifier: &[u8; 4]) -> Vec<u8> {
        let mut bytes = vec![8, 0, 0, 0];
        bytes.extend(identifier);
        self.write(&mut bytes);
        bytes
    }

    /// Appends the table, its list of fields, and what it leads to.
    fn write(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend([0; 4]);
        let count = self.0.iter().map(|(field, _)| usize::from(*field) + 1).max().unwrap_or(0);
        let mut places = vec![0; count];
        for (field, value) in &self.0 {
            places[usize::from(*field)] = bytes.len() - start;
            match value {
                Field::Inline(number) => bytes.extend(number),
                _ => bytes.extend([0; 4]),
            }
        }
        let (size, list) = (bytes.len() - start, bytes.len());
        let back = i32::try_from(list).expect("it fits") - i32::try_from(start).expect("it fits");
        bytes[start..start + 4].copy_from_slice(&(-back).to_le_bytes());
        for number in [4 + 2 * count, size].iter().chain(&places) {
            bytes.extend(u16::try_from(*number).expect("it fits").to_le_bytes());
        }
        for (field, value) in &self.0 {
            let place = start + places[usize::from(*field)];
            if !matches!(value, Field::Inline(_)) {
                point(bytes, place);
            }
            match value {
                Field::Inline(_) => {}
                Field::Table(table) => table.write(bytes),
                Field::Vector(count, elements) => {
                    bytes.extend(u32::try_from(*count).expect("it fits").to_le_bytes());
                    bytes.extend(elements);
                }
                Field::Tables(tables) => {
                    let first = slots(bytes, tables.len());
                    for (index, table) in tables.iter().enumerate() {
                        point(bytes, first + 4 * index);
                        table.write(bytes);
                    }
                }
                Field::Texts(texts) => {
                    let first = slots(bytes, texts.len());
                    for (index, text) in texts.iter().enumerate() {
                        point(bytes, first + 4 * index);
                        bytes.extend(u32::try_from(text.len()).expect("it fits").to_le_bytes());
                        bytes.extend(text.as_bytes());
                    }
                }
            }
        }
    }
}

/// Reserves a vector of offsets; returns where the first is.
fn slots(bytes: &mut Vec<u8>, count: usize) -> usize {
    bytes.extend(u32::try_from(count).expect("it fits").to_le_bytes());
    let first = bytes.len();
    bytes.resize(first + 4 * count, 0);
    first
}

/// Lets an offset lead to the end of what there is.
fn point(bytes: &mut [u8], place: usize) {
    let distance = u32::try_from(bytes.len() - place).expect("it fits");
    bytes[place..place + 4].copy_from_slice(&distance.to_le_bytes());
}
