"""Tokens that describe the weights of a network, and how repeats of them are folded.

A token is a letter and the dimensions of one weight, as PyTorch stores it:

    c  convolution, out x in/groups x kernel...; `g` and the groups follow if there are several
    t  transposed convolution, in x out/groups x kernel...
    l  linear layer, out x in
    e  embedding table, rows x width
    r  recurrent layer, gates*hidden x in, then gates*hidden x hidden
    p  any other parameter with at least two dimensions above 1
"""

import re

TOKEN = re.compile(r"[ctlerp]\d+(x\d+)+(g\d+)?$")
LONGEST_PERIOD = 600


def token(letter, dims, groups=1):
    """Returns the token of one weight."""
    text = letter + "x".join(str(int(d)) for d in dims)
    return f"{text}g{groups}" if groups > 1 else text


def _repeats(items, start, period):
    """Returns how often items[start:start+period] occurs back to back from `start` on."""
    count = 1
    block = items[start:start + period]
    while items[start + count * period:start + (count + 1) * period] == block:
        count += 1
    return count


def _best_repeat(items, where, start):
    """Returns (period, count) of the repeat at `start` that saves the most items."""
    best = (1, 1)
    saved = 0
    size = len(items)
    for following in where[items[start]]:
        period = following - start
        if period <= 0:
            continue
        if period > LONGEST_PERIOD or start + 2 * period > size:
            break
        if items[start + period - 1] != items[start + 2 * period - 1]:
            continue
        count = _repeats(items, start, period)
        if count > 1 and period * (count - 1) > saved:
            best, saved = (period, count), period * (count - 1)
    return best


def _fold(items, depth):
    """Returns the parts of the folded text, with at most `depth` levels of parentheses."""
    where = {}
    for index, item in enumerate(items):
        where.setdefault(item, []).append(index)
    parts = []
    start = 0
    while start < len(items):
        period, count = _best_repeat(items, where, start) if depth else (1, 1)
        if count > 1:
            body = " ".join(_fold(items[start:start + period], depth - 1))
            parts.append(f"{count}*({body})")
        else:
            parts.append(items[start])
        start += period * count
    return parts


def fold(items):
    """Returns the text of a list of tokens: `12*(l768x768 2*(l3072x768))`."""
    return " ".join(_fold(list(items), 2))


def unfold(text):
    """Returns the list of tokens that `fold` wrote."""
    stack = [[]]
    counts = []
    for part in text.replace("(", " ( ").replace(")", " ) ").split():
        if part.endswith("*"):
            counts.append(int(part[:-1]))
        elif part == "(":
            stack.append([])
        elif part == ")":
            block = stack.pop()
            stack[-1].extend(block * counts.pop())
        else:
            stack[-1].append(part)
    return stack[0]
