//! Dimension strings as exporters write them: `past_sequence_length + 1`, `(batch*seq)//8`,
//! `Max(1, s0)`, `floor(L/2 - 1/2)`.
//!
//! ```text
//! sum     := product (('+' | '-') product)*
//! product := unary (('*' | '/' | '//' | '%' | 'mod') unary)*
//! unary   := ('+' | '-')* power
//! power   := primary (('^' | '**') number)?
//! primary := number | name | '`' any name '`' | '(' sum ')' | function '(' sum (',' sum)* ')'
//! ```
//!
//! Functions are `floor`, `ceil`, `ceiling`, `min`, `max`, `Min`, `Max`, `mod`, `Mod`,
//! `PythonMod`, `FloorDiv`, `CleanDiv` and `CeilDiv`. A name begins with a letter of any script
//! or `_`, and goes on with letters, digits, `_`, `.` and `:`.
//!
//! `/` is floor division, except within `floor(...)`, `ceil(...)` and `ceiling(...)`, where it is
//! the exact quotient that the function then rounds: `floor(L/2 - 1/2)` is `floor((L - 1)/2)`.
//!
//! The text, its nesting and the work it may cause are bounded.

use std::fmt;

use crate::atom::Symbol;
use crate::expr::Expr;
use crate::lex::{self, Token};
use crate::limits::{MAX_DEGREE, MAX_NESTING, MAX_TEXT_BYTES};

/// The term-by-term operations one text may cause.
const MAX_WORK: usize = 1 << 15;

/// Why a text is not an expression, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    offset_bytes: usize,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    TooLong,
    TooDeep,
    TooMuchWork,
    Unexpected,
    Ended,
    Unclosed,
    NumberTooLarge,
    Exponent,
    Fraction,
    Operands,
    Undefined,
}

impl ParseError {
    pub(crate) fn new(offset_bytes: usize, problem: Problem) -> Self {
        Self { offset_bytes, problem }
    }

    /// Where in the text the problem is.
    pub fn offset_bytes(&self) -> usize {
        self.offset_bytes
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = match self.problem {
            Problem::TooLong => "the text is too long for a dimension",
            Problem::TooDeep => "the text is nested too deeply",
            Problem::TooMuchWork => "the expression is too large",
            Problem::Unexpected => "this does not continue an expression",
            Problem::Ended => "the expression is not finished",
            Problem::Unclosed => "the quoted name is not closed",
            Problem::NumberTooLarge => "the number is too large",
            Problem::Exponent => "an exponent must be a small constant",
            Problem::Fraction => "a fraction is only understood within floor or ceil",
            Problem::Operands => "the function has another number of operands",
            Problem::Undefined => "the expression has no value",
        };
        write!(f, "{problem} (at byte {})", self.offset_bytes)
    }
}

impl std::error::Error for ParseError {}

/// Reads an expression whose symbols are at least zero.
///
/// ```
/// let total = calipers_sym::parse("past_sequence_length + sequence_length")?;
/// assert_eq!(total.to_string(), "past_sequence_length + sequence_length");
/// # Ok::<(), calipers_sym::ParseError>(())
/// ```
///
/// # Errors
/// When the text is not an expression, passes a [limit](crate::limits), or has no value.
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    parse_at_least(text, 0)
}

/// Reads an expression whose symbols are all at least `lower`.
///
/// # Errors
/// As [`parse`].
pub fn parse_at_least(text: &str, lower: i64) -> Result<Expr, ParseError> {
    parse_tokens(text, lower, false)
}

fn parse_tokens(text: &str, lower: i64, joined: bool) -> Result<Expr, ParseError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ParseError::new(MAX_TEXT_BYTES, Problem::TooLong));
    }
    let tokens = lex::tokens(text, joined)?;
    let mut parser = Parser { tokens, at: 0, end: text.len(), lower, depth: 0, work: 0 };
    let value = parser.sum(false)?;
    if parser.at < parser.tokens.len() {
        return Err(parser.error(Problem::Unexpected));
    }
    parser.integer(value)
}

impl Expr {
    /// The dimension a file means by a string: the expression it parses as, its symbols at least
    /// `lower`; or else one symbol with that very name. `/` and `-` between two names, without
    /// spaces and outside of parentheses, are part of one name.
    ///
    /// ```
    /// # use calipers_sym::Expr;
    /// assert_eq!(Expr::from_dimension("2*s0 - s0", 1).to_string(), "s0");
    /// assert_eq!(Expr::from_dimension("sequence length", 1).to_string(), "`sequence length`");
    /// assert_eq!(Expr::from_dimension("Reshape/out_dim_1", 1).to_string(), "`Reshape/out_dim_1`");
    /// ```
    pub fn from_dimension(text: &str, lower: i64) -> Self {
        parse_tokens(text, lower, true).unwrap_or_else(|_| Symbol::at_least(text, lower).into())
    }
}

/// Whether the whole text is one name.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(lex::starts_name) && text.chars().all(lex::continues_name)
}

/// Whether a name means something in an expression.
pub(crate) fn is_reserved(name: &str) -> bool {
    Function::from_name(name).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    Floor,
    Ceil,
    Min,
    Max,
    Mod,
    FloorDiv,
    CeilDiv,
}

impl Function {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "floor" => Self::Floor,
            "ceil" | "ceiling" => Self::Ceil,
            "min" | "Min" => Self::Min,
            "max" | "Max" => Self::Max,
            "mod" | "Mod" | "PythonMod" => Self::Mod,
            "FloorDiv" | "CleanDiv" => Self::FloorDiv,
            "CeilDiv" => Self::CeilDiv,
            _ => return None,
        })
    }
}

/// A quotient that is yet to be rounded; of an integer the denominator is one.
struct Fraction {
    over: Expr,
    under: Expr,
}

impl Fraction {
    fn whole(over: Expr) -> Self {
        Self { over, under: Expr::ONE }
    }

    fn plus(self, other: Self) -> Self {
        if self.under == other.under {
            return Self { over: self.over + other.over, under: self.under };
        }
        Self {
            over: self.over * &other.under + other.over * &self.under,
            under: self.under * other.under,
        }
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
    lower: i64,
    depth: u32,
    work: usize,
}

impl Parser {
    fn error(&self, problem: Problem) -> ParseError {
        let offset = self.tokens.get(self.at).map_or(self.end, |token| token.0);
        let ended = problem == Problem::Unexpected && self.at == self.tokens.len();
        ParseError::new(offset, if ended { Problem::Ended } else { problem })
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|token| &token.1)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: &Token) -> Result<(), ParseError> {
        if self.take(wanted) { Ok(()) } else { Err(self.error(Problem::Unexpected)) }
    }

    /// Accounts for an operation on two values before it is done.
    fn charge(&mut self, a: &Fraction, b: &Fraction) -> Result<(), ParseError> {
        let size = |value: &Fraction| (value.over.weight().max(value.under.weight())) as usize;
        self.work = self.work.saturating_add(size(a).saturating_mul(size(b)));
        if self.work > MAX_WORK { Err(self.error(Problem::TooMuchWork)) } else { Ok(()) }
    }

    /// The value as an integer. It has a denominator only where a fraction was allowed.
    fn integer(&self, value: Fraction) -> Result<Expr, ParseError> {
        if value.under != 1 {
            return Err(self.error(Problem::Fraction));
        }
        if value.over.is_undefined() {
            return Err(self.error(Problem::Undefined));
        }
        Ok(value.over)
    }

    fn sum(&mut self, exact: bool) -> Result<Fraction, ParseError> {
        let first = self.product(exact)?;
        if !matches!(self.peek(), Some(Token::Plus | Token::Minus)) {
            return Ok(first);
        }
        // Integers are added all at once; only fractions need cross products on the way.
        let (mut integers, mut fraction) = (Vec::new(), Fraction::whole(Expr::ZERO));
        let mut next = first;
        loop {
            if next.under == 1 {
                integers.push(next.over);
            } else {
                self.charge(&fraction, &next)?;
                fraction = fraction.plus(next);
            }
            let minus = match self.peek() {
                Some(Token::Plus) => false,
                Some(Token::Minus) => true,
                _ => break,
            };
            self.at += 1;
            next = self.product(exact)?;
            self.charge(&next, &Fraction::whole(Expr::ONE))?;
            if minus {
                next.over = -next.over;
            }
        }
        let integers = Fraction::whole(integers.into_iter().sum());
        if fraction.under != 1 {
            self.charge(&fraction, &integers)?;
        }
        Ok(fraction.plus(integers))
    }

    fn product(&mut self, exact: bool) -> Result<Fraction, ParseError> {
        let mut product = self.unary(exact)?;
        loop {
            let operator = match self.peek() {
                Some(Token::Name(name)) if name == "mod" => Token::Percent,
                Some(
                    operator @ (Token::Times | Token::Over | Token::FloorOver | Token::Percent),
                ) => operator.clone(),
                _ => return Ok(product),
            };
            self.at += 1;
            let next = self.unary(exact)?;
            self.charge(&product, &next)?;
            product = match operator {
                Token::Times => {
                    Fraction { over: product.over * next.over, under: product.under * next.under }
                }
                Token::Percent => {
                    let divisor = self.integer(next)?;
                    Fraction::whole(self.integer(product)?.modulo(&divisor))
                }
                operator => {
                    let over = product.over * next.under;
                    let under = product.under * next.over;
                    if exact && operator == Token::Over {
                        Fraction { over, under }
                    } else {
                        Fraction::whole(over.floor_div(&under))
                    }
                }
            };
        }
    }

    fn unary(&mut self, exact: bool) -> Result<Fraction, ParseError> {
        let mut negative = false;
        loop {
            match self.peek() {
                Some(Token::Minus) => negative = !negative,
                Some(Token::Plus) => {}
                _ => break,
            }
            self.at += 1;
        }
        let mut value = self.power(exact)?;
        if negative {
            value.over = -value.over;
        }
        Ok(value)
    }

    fn power(&mut self, exact: bool) -> Result<Fraction, ParseError> {
        let base = self.primary(exact)?;
        if !self.take(&Token::Power) {
            return Ok(base);
        }
        let Some(Token::Number(exponent)) = self.peek() else {
            return Err(self.error(Problem::Exponent));
        };
        let exponent = u32::try_from(*exponent).ok().filter(|exponent| *exponent <= MAX_DEGREE);
        let exponent = exponent.ok_or_else(|| self.error(Problem::Exponent))?;
        self.at += 1;
        let mut power = Fraction::whole(Expr::ONE);
        // A power of one term stays one term; a power of a sum is charged factor by factor.
        let steps = if base.over.terms().count() > 1 { exponent } else { 0 };
        for _ in 0..steps {
            self.charge(&power, &base)?;
            power.over *= &base.over;
        }
        if steps == 0 {
            power.over = base.over.pow(exponent);
        }
        power.under = base.under.pow(exponent);
        Ok(power)
    }

    fn primary(&mut self, exact: bool) -> Result<Fraction, ParseError> {
        let Some(token) = self.peek().cloned() else {
            return Err(self.error(Problem::Unexpected));
        };
        match token {
            Token::Number(value) => {
                self.at += 1;
                Ok(Fraction::whole(Expr::wide(Some(value))))
            }
            Token::Name(name) => {
                let function = Function::from_name(&name);
                self.at += 1;
                match (self.peek(), function) {
                    (Some(Token::Open), Some(function)) => self.call(function),
                    _ if name == "mod" => {
                        self.at -= 1;
                        Err(self.error(Problem::Unexpected))
                    }
                    _ => Ok(self.symbol(&name)),
                }
            }
            Token::Quoted(name) => {
                self.at += 1;
                Ok(self.symbol(&name))
            }
            Token::Open => {
                self.enter()?;
                let value = self.sum(exact)?;
                self.depth -= 1;
                self.expect(&Token::Close)?;
                Ok(value)
            }
            _ => Err(self.error(Problem::Unexpected)),
        }
    }

    fn symbol(&self, name: &str) -> Fraction {
        Fraction::whole(Symbol::at_least(name, self.lower).into())
    }

    /// Steps over an opening parenthesis, unless there are too many.
    fn enter(&mut self) -> Result<(), ParseError> {
        if self.depth == MAX_NESTING {
            return Err(self.error(Problem::TooDeep));
        }
        self.depth += 1;
        self.expect(&Token::Open)
    }

    fn call(&mut self, function: Function) -> Result<Fraction, ParseError> {
        self.enter()?;
        let rounds = matches!(function, Function::Floor | Function::Ceil);
        let mut operands = vec![self.sum(rounds)?];
        while self.take(&Token::Comma) {
            let next = self.sum(rounds)?;
            // Every operand may be compared with every other.
            for earlier in &operands {
                self.charge(earlier, &next)?;
            }
            operands.push(next);
        }
        self.depth -= 1;
        self.expect(&Token::Close)?;
        let operands = operands.into_iter();
        let result = if rounds {
            let [Fraction { over, under }] = self.exactly(operands)?;
            if function == Function::Floor { over.floor_div(&under) } else { over.ceil_div(&under) }
        } else {
            let operands =
                operands.map(|operand| self.integer(operand)).collect::<Result<Vec<_>, _>>()?;
            match function {
                Function::Min => Expr::min_of(operands),
                Function::Max => Expr::max_of(operands),
                _ => {
                    let [a, b] = self.exactly(operands.into_iter())?;
                    match function {
                        Function::Mod => a.modulo(&b),
                        Function::FloorDiv => a.floor_div(&b),
                        _ => a.ceil_div(&b),
                    }
                }
            }
        };
        Ok(Fraction::whole(result))
    }

    /// As many operands as a function takes.
    fn exactly<T, const N: usize>(
        &self,
        operands: impl Iterator<Item = T>,
    ) -> Result<[T; N], ParseError> {
        let operands: Vec<T> = operands.collect();
        <[T; N]>::try_from(operands).map_err(|_| self.error(Problem::Operands))
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
