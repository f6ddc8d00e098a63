//! Repeats in a sequence of segments.
//!
//! Runs of equal neighbors are folded first, then runs of equal pairs and so on, and then what
//! that leaves once more: so stages of blocks are found around the blocks. A run counts as one of
//! what it repeats, so that stages of 3, 4, 6 and 3 blocks are alike.

use calipers_sym::Expr;

use super::Structure;
use super::cost::is_heavy;
use super::segments::{hash, is_same_stage};
use crate::network::Network;

/// A segment, or a run of likes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A segment, by its number.
    Segment(usize),
    /// What repeats, each turn as the items it consists of.
    Run(Vec<Vec<Item>>),
}

impl Item {
    /// Numbers of the segments inside, in order.
    pub(crate) fn segments(&self) -> Vec<usize> {
        match self {
            Self::Segment(segment) => vec![*segment],
            Self::Run(turns) => all_segments(turns.iter().flatten()),
        }
    }
}

/// Numbers of the segments of several items.
pub(crate) fn all_segments<'a>(items: impl IntoIterator<Item = &'a Item>) -> Vec<usize> {
    items.into_iter().flat_map(Item::segments).collect()
}

/// The longest sequence that is looked for as what repeats.
const MAX_PERIOD: usize = 64;
/// How deep repeats nest.
const MAX_ROUNDS: usize = 6;

struct Token {
    signature: u64,
    item: Item,
    /// The segment whose resolution it has at its end, and at its start.
    last: usize,
    first: usize,
}

/// Folds what repeats.
pub(super) fn collapse(net: &Network<'_>, structure: &Structure) -> Vec<Item> {
    let segments = structure.segments.iter().enumerate();
    let mut tokens: Vec<Token> = segments
        .map(|(number, segment)| Token {
            signature: segment.signature,
            item: Item::Segment(number),
            last: number,
            first: number,
        })
        .collect();
    let folding = Folding { net, structure };
    for _ in 0..MAX_ROUNDS {
        let before = tokens.len();
        for period in 1..=MAX_PERIOD {
            if tokens.len() < 2 * period {
                break;
            }
            tokens = folding.fold(tokens, period);
        }
        if tokens.len() == before {
            break;
        }
    }
    tokens.into_iter().map(|token| folding.by_stage(token.item)).collect()
}

struct Folding<'a> {
    net: &'a Network<'a>,
    structure: &'a Structure,
}

impl Folding<'_> {
    /// Folds runs of sequences of this length.
    fn fold(&self, tokens: Vec<Token>, period: usize) -> Vec<Token> {
        // For each place, how many tokens from there on equal the one a period later.
        let mut equal = vec![0_usize; tokens.len() + 1];
        for place in (0..tokens.len() - period).rev() {
            if self.are_alike(&tokens[place], &tokens[place + period], period) {
                equal[place] = equal[place + 1] + 1;
            }
        }
        if !equal.iter().any(|count| *count >= period) {
            return tokens;
        }
        let mut folded = Vec::with_capacity(tokens.len());
        let starts: Vec<bool> = (0..tokens.len())
            .map(|place| {
                place > 0 && !self.is_one_stage(tokens[place - 1].last, tokens[place].first)
            })
            .collect();
        let signatures: Vec<u64> = tokens.iter().map(|token| token.signature).collect();
        let mut tokens = tokens.into_iter().enumerate();
        while let Some((place, token)) = tokens.next() {
            let matches = equal[place];
            if matches < period || is_one_kind(&signatures[place..place + period]) {
                folded.push(token);
                continue;
            }
            let slack = matches % period;
            // A turn begins where the resolution changes, if one of those it could begin at does: the
            // last of them, since what brings about the change then leads.
            let skipped = (0..=slack).rev().find(|skip| starts[place + skip]).unwrap_or(0);
            let turns = (matches - skipped) / period + 1;
            let mut taken = std::iter::once(token).chain(tokens.by_ref().map(|(_, token)| token));
            folded.extend(taken.by_ref().take(skipped));
            folded.push(run(taken.take(turns * period).collect(), period));
        }
        folded
    }

    fn are_alike(&self, a: &Token, b: &Token, period: usize) -> bool {
        let is_named = |token: &Token| {
            self.structure.segments.get(token.last).is_some_and(|segment| segment.is_composite)
        };
        // Plain steps at two resolutions, or side by side, have little in common.
        let in_row = || self.is_one_stage(a.last, b.first) && self.follows(a.last, b.first);
        a.signature == b.signature && (period > 1 || is_named(a) || in_row())
    }

    /// Whether a segment reads what another gives.
    fn follows(&self, before: usize, after: usize) -> bool {
        let Some(range) = self.structure.segments.get(before).map(|it| it.from..it.to) else {
            return false;
        };
        let units = self.structure.units(after).iter().map(|id| self.net.unit(*id));
        let givers = units.flat_map(|unit| unit.inputs.iter().flatten());
        let mut places = givers.filter_map(|val| self.structure.place(self.net.producer(*val)?));
        places.any(|place| range.contains(&place))
    }

    /// A run through several resolutions is a run of stages, each a run at one resolution.
    fn by_stage(&self, item: Item) -> Item {
        let Item::Run(turns) = item else { return item };
        let turns = turns.into_iter();
        let turns: Vec<Vec<Item>> =
            turns.map(|turn| turn.into_iter().map(|item| self.by_stage(item)).collect()).collect();
        let last = |turn: &[Item]| all_segments(turn).last().copied().unwrap_or(0);
        let mut stages: Vec<Vec<Vec<Item>>> = Vec::new();
        for turn in turns {
            match stages.last_mut().and_then(|stage| Some((last(stage.last()?), stage))) {
                Some((before, stage)) if self.is_one_stage(before, last(&turn)) => stage.push(turn),
                _ => stages.push(vec![turn]),
            }
        }
        let is_grouped = stages.len() > 1 && stages.iter().any(|stage| stage.len() > 1);
        if !is_grouped {
            return Item::Run(stages.into_iter().flatten().collect());
        }
        let stage = |mut turns: Vec<Vec<Item>>| match turns.len() {
            1 => turns.pop().unwrap_or_default(),
            _ => vec![Item::Run(turns)],
        };
        Item::Run(stages.into_iter().map(stage).collect())
    }

    fn is_one_stage(&self, a: usize, b: usize) -> bool {
        is_one_stage(self.net, self.structure, a, b)
    }
}

/// Whether a sequence is a run already, which was looked at before and left alone.
fn is_one_kind(signatures: &[u64]) -> bool {
    signatures.len() > 1 && signatures.windows(2).all(|pair| pair[0] == pair[1])
}

/// Whether two segments are at one resolution, or it cannot be determined.
pub(crate) fn is_one_stage(net: &Network<'_>, structure: &Structure, a: usize, b: usize) -> bool {
    match (stage(net, structure, a), stage(net, structure, b)) {
        (Some(a), Some(b)) => is_same_stage(a, b),
        _ => true,
    }
}

fn run(tokens: Vec<Token>, period: usize) -> Token {
    let first = tokens.first().map_or(0, |token| token.first);
    let last = tokens.last().map_or(0, |token| token.last);
    let mut signatures: Vec<u64> =
        tokens.iter().take(period).map(|token| token.signature).collect();
    let signature = match signatures[..] {
        [one] => one,
        _ => {
            signatures.push(1);
            hash(&signatures)
        }
    };
    let mut turns: Vec<Vec<Item>> = Vec::new();
    for (number, token) in tokens.into_iter().enumerate() {
        match token.item {
            // A run next to what it repeats is one run.
            Item::Run(more) if period == 1 => turns.extend(more),
            item if number % period == 0 => turns.push(vec![item]),
            item => turns.last_mut().map_or((), |turn| turn.push(item)),
        }
    }
    Token { signature, item: Item::Run(turns), last, first }
}

/// The shape that shows the resolution of a segment: the output of its last heavy unit.
pub(super) fn stage<'n>(
    net: &'n Network<'_>,
    structure: &Structure,
    segment: usize,
) -> Option<&'n [Expr]> {
    let mut units = structure.units(segment).iter().rev().map(|id| net.unit(*id));
    net.shape(units.find(|unit| is_heavy(net, unit))?.output())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::testing::{Inspect as _, Tiny};
    use crate::structure::Structure;

    /// Items as text: a letter for each kind of segment, turns in brackets.
    fn written(structure: &Structure, items: &[Item]) -> String {
        let mut kinds: Vec<u64> = Vec::new();
        for segment in &structure.segments {
            if !kinds.contains(&segment.signature) {
                kinds.push(segment.signature);
            }
        }
        fn write(kinds: &[u64], structure: &Structure, items: &[Item], text: &mut String) {
            for item in items {
                match item {
                    Item::Segment(number) => {
                        let signature = structure.segments[*number].signature;
                        let kind = kinds.iter().position(|kind| *kind == signature).unwrap();
                        text.push(char::from(b'a' + u8::try_from(kind).unwrap()));
                    }
                    Item::Run(turns) => {
                        text.push_str(&format!("{}(", turns.len()));
                        write(kinds, structure, &turns[0], text);
                        text.push(')');
                    }
                }
            }
        }
        let mut text = String::new();
        write(&kinds, structure, items, &mut text);
        text
    }

    /// The items of a chain of layers: `l` is linear, `e` an Einsum, `r` a linear layer with a
    /// shortcut around it, `n` an activation.
    fn items(layers: &str) -> String {
        let mut tiny = Tiny::new();
        let mut value = tiny.input(&["batch", "8"]);
        for layer in layers.chars() {
            value = match layer {
                'n' => tiny.op("Softplus", &[&value]),
                'e' => {
                    let weight = tiny.weight(&[8, 8]);
                    tiny.op_with("Einsum", &[&value, &weight], &[equation()])
                }
                _ => {
                    let weight = tiny.weight(&[8, 8]);
                    let inner = tiny.op("MatMul", &[&value, &weight]);
                    if layer == 'r' { tiny.op("Add", &[&inner, &value]) } else { inner }
                }
            };
        }
        tiny.output(&value).inspect(|net| {
            let structure = Structure::find(net);
            written(&structure, &structure.items)
        })
    }

    fn equation() -> calipers_samples::Attribute {
        calipers_samples::Attribute::string("equation", "ij,jk->ik")
    }

    #[test]
    fn runs_of_one_and_of_several_are_found() {
        assert_eq!(items("l"), "a");
        assert_eq!(items("lll"), "3(a)");
        assert_eq!(items("lele"), "2(ab)");
        assert_eq!(items("rrrl"), "3(a)b");
    }

    #[test]
    fn runs_nest_and_may_differ_in_length() {
        assert_eq!(items("lleleellle"), "3(2(a)b)");
    }

    #[test]
    fn light_operations_do_not_distinguish_layers() {
        assert_eq!(items("lnlnl"), "3(a)");
        assert_eq!(items("nlnll"), "3(a)");
    }

    #[test]
    fn different_layers_are_not_a_run() {
        assert_eq!(items("lre"), "abc");
    }
}
