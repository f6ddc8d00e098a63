//! The operations of pickles, protocols 0 to 5.

use calipers_ir::Span;

use super::cursor::{Cursor, Problem};
use super::value::Text;

/// Longest text that is kept; a longer one is only passed over.
const MAX_TEXT: u64 = 1 << 13;

/// An operation with its operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op<'a> {
    /// Adds a value to the stack.
    Push(Payload<'a>),
    /// An import whose names are in the operand.
    Global {
        module: Text<'a>,
        name: Text<'a>,
    },
    /// An import whose names are on the stack.
    StackGlobal,
    /// An import and a call, with arguments down to the mark.
    Inst {
        module: Text<'a>,
        name: Text<'a>,
    },
    /// A call of what is above the mark, with arguments above that.
    Obj,
    /// A class of the registry of extensions.
    Ext(i64),
    /// A call.
    Reduce,
    /// Makes an object of a class.
    NewObj,
    /// The same with named arguments.
    NewObjEx,
    /// Gives an object its state.
    Build,
    /// An object kept outside the pickle, by the name in the operand.
    Persid(Text<'a>),
    /// The same, by what is on the stack.
    BinPersid,
    EmptyList,
    EmptyDict,
    EmptySet,
    /// A tuple of the topmost values.
    Tuple(usize),
    /// A tuple of what is above the mark.
    TupleOfMark,
    List,
    Dict,
    FrozenSet,
    Append,
    Appends,
    SetItem,
    SetItems,
    AddItems,
    Mark,
    Pop,
    PopMark,
    Dup,
    Get(u64),
    Put(u64),
    Memoize,
    /// Bytes that the program is given beside the pickle.
    NextBuffer,
    /// Nothing that matters here: the protocol, frames, whether a buffer may be written.
    Nothing,
    Stop,
}

/// A value that is written out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Payload<'a> {
    None,
    Bool(bool),
    Int(i64),
    /// A whole number of more than 64 bits.
    Long,
    Float(f64),
    Text(Text<'a>),
    Bytes(Span),
}

impl<'a> Op<'a> {
    /// Reads the next operation.
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self, Problem> {
        let code = cursor.byte()?;
        Ok(match code {
            b'N' => Self::Push(Payload::None),
            0x88 => Self::Push(Payload::Bool(true)),
            0x89 => Self::Push(Payload::Bool(false)),
            b'I' => Self::Push(decimal_or_bool(cursor.line()?)?),
            b'L' => Self::Push(decimal(cursor.line()?)?),
            b'J' => int(i64::from(i32::from_le_bytes(cursor.array()?))),
            b'K' => int(i64::from(cursor.byte()?)),
            b'M' => int(i64::from(u16::from_le_bytes(cursor.array()?))),
            0x8a => {
                let size = u64::from(cursor.byte()?);
                Self::Push(long(cursor.take(size)?))
            }
            0x8b => {
                let size = signed_length(cursor)?;
                let wide = size > 8;
                if wide {
                    cursor.skip(size)?;
                    Self::Push(Payload::Long)
                } else {
                    Self::Push(long(cursor.take(size)?))
                }
            }
            b'F' => Self::Push(real(cursor.line()?)?),
            b'G' => Self::Push(Payload::Float(f64::from_be_bytes(cursor.array()?))),
            b'S' => Self::Push(Payload::Text(quoted(cursor.line()?)?)),
            b'V' => Self::Push(Payload::Text(Text::escaped(cursor.line()?))),
            b'T' => {
                let size = signed_length(cursor)?;
                text(cursor, size)?
            }
            b'U' | 0x8c => {
                let size = u64::from(cursor.byte()?);
                text(cursor, size)?
            }
            b'X' => {
                let size = u64::from(u32::from_le_bytes(cursor.array()?));
                text(cursor, size)?
            }
            0x8d => {
                let size = u64::from_le_bytes(cursor.array()?);
                text(cursor, size)?
            }
            b'C' => {
                let size = u64::from(cursor.byte()?);
                Self::Push(Payload::Bytes(cursor.skip(size)?))
            }
            b'B' => {
                let size = u64::from(u32::from_le_bytes(cursor.array()?));
                Self::Push(Payload::Bytes(cursor.skip(size)?))
            }
            0x8e | 0x96 => {
                let size = u64::from_le_bytes(cursor.array()?);
                Self::Push(Payload::Bytes(cursor.skip(size)?))
            }
            b'c' => {
                let module = Text::new(cursor.line()?);
                Self::Global { module, name: Text::new(cursor.line()?) }
            }
            b'i' => {
                let module = Text::new(cursor.line()?);
                Self::Inst { module, name: Text::new(cursor.line()?) }
            }
            0x93 => Self::StackGlobal,
            b'o' => Self::Obj,
            0x82 => Self::Ext(i64::from(cursor.byte()?)),
            0x83 => Self::Ext(i64::from(u16::from_le_bytes(cursor.array()?))),
            0x84 => Self::Ext(i64::from(i32::from_le_bytes(cursor.array()?))),
            b'R' => Self::Reduce,
            0x81 => Self::NewObj,
            0x92 => Self::NewObjEx,
            b'b' => Self::Build,
            b'P' => Self::Persid(Text::new(cursor.line()?)),
            b'Q' => Self::BinPersid,
            b']' => Self::EmptyList,
            b'}' => Self::EmptyDict,
            0x8f => Self::EmptySet,
            b')' => Self::Tuple(0),
            0x85 => Self::Tuple(1),
            0x86 => Self::Tuple(2),
            0x87 => Self::Tuple(3),
            b't' => Self::TupleOfMark,
            b'l' => Self::List,
            b'd' => Self::Dict,
            0x91 => Self::FrozenSet,
            b'a' => Self::Append,
            b'e' => Self::Appends,
            b's' => Self::SetItem,
            b'u' => Self::SetItems,
            0x90 => Self::AddItems,
            b'(' => Self::Mark,
            b'0' => Self::Pop,
            b'1' => Self::PopMark,
            b'2' => Self::Dup,
            b'g' => Self::Get(index(cursor.line()?)?),
            b'h' => Self::Get(u64::from(cursor.byte()?)),
            b'j' => Self::Get(u64::from(u32::from_le_bytes(cursor.array()?))),
            b'p' => Self::Put(index(cursor.line()?)?),
            b'q' => Self::Put(u64::from(cursor.byte()?)),
            b'r' => Self::Put(u64::from(u32::from_le_bytes(cursor.array()?))),
            0x94 => Self::Memoize,
            0x97 => Self::NextBuffer,
            0x98 => Self::Nothing,
            0x80 => {
                let protocol = cursor.byte()?;
                if protocol > 5 {
                    return Err(Problem::new(format!("protocol {protocol} is unknown")));
                }
                Self::Nothing
            }
            0x95 => {
                // Frames only say how much to fetch at once.
                let _: [u8; 8] = cursor.array()?;
                Self::Nothing
            }
            b'.' => Self::Stop,
            other => return Err(Problem::new(format!("operation 0x{other:02x} is unknown"))),
        })
    }
}

fn int<'a>(value: i64) -> Op<'a> {
    Op::Push(Payload::Int(value))
}

fn text<'a>(cursor: &mut Cursor<'a>, size: u64) -> Result<Op<'a>, Problem> {
    let text = match size > MAX_TEXT {
        true => Text::Long(cursor.skip(size)?),
        false => Text::new(cursor.take(size)?),
    };
    Ok(Op::Push(Payload::Text(text)))
}

fn signed_length(cursor: &mut Cursor<'_>) -> Result<u64, Problem> {
    let size = i32::from_le_bytes(cursor.array()?);
    u64::try_from(size).map_err(|_| Problem::new(format!("a length is {size}")))
}

/// Little-endian two's complement, of any length.
fn long<'a>(bytes: &[u8]) -> Payload<'a> {
    if bytes.len() > 8 {
        return Payload::Long;
    }
    let fill = match bytes.last() {
        Some(last) if last & 0x80 != 0 => 0xff,
        _ => 0,
    };
    let mut wide = [fill; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    Payload::Int(i64::from_le_bytes(wide))
}

fn ascii(line: &[u8]) -> Result<&str, Problem> {
    let text = std::str::from_utf8(line).map_err(|_| Problem::new("a number is not text"))?;
    Ok(text.trim())
}

fn decimal_or_bool<'a>(line: &[u8]) -> Result<Payload<'a>, Problem> {
    match line {
        b"00" => Ok(Payload::Bool(false)),
        b"01" => Ok(Payload::Bool(true)),
        other => decimal(other),
    }
}

fn decimal<'a>(line: &[u8]) -> Result<Payload<'a>, Problem> {
    let text = ascii(line)?;
    let digits = text.strip_suffix('L').unwrap_or(text);
    if let Ok(value) = digits.parse() {
        return Ok(Payload::Int(value));
    }
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    match !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(Payload::Long),
        false => Err(Problem::new("a number is not written in digits")),
    }
}

fn real<'a>(line: &[u8]) -> Result<Payload<'a>, Problem> {
    let value = ascii(line)?.parse().map_err(|_| Problem::new("a number is not one"))?;
    Ok(Payload::Float(value))
}

fn index(line: &[u8]) -> Result<u64, Problem> {
    ascii(line)?.parse().map_err(|_| Problem::new("a place in the memo is not a number"))
}

/// A text between quotes, with escapes, as Python writes it.
fn quoted(line: &[u8]) -> Result<Text<'_>, Problem> {
    let line = line.trim_ascii();
    let inside = match line {
        [b'\'', inside @ .., b'\''] | [b'"', inside @ .., b'"'] => inside,
        _ => return Err(Problem::new("a text is not between quotes")),
    };
    Ok(Text::escaped(inside))
}
