"""Writes the tables of the library."""

import os

from families import FAMILIES
from tokens import TOKEN, fold, unfold


def row(name, family, variant, tokens):
    """Returns one line, after a check that its weights survive folding."""
    text = fold(tokens)
    if unfold(text) != list(tokens) or not all(TOKEN.match(t) for t in tokens):
        raise ValueError(f"{name}: the weights do not survive folding")
    if any("\t" in part or "\n" in part for part in (name, family, variant)):
        raise ValueError(f"{name}: a name has a tab")
    return f"{name}\t{family}\t{variant}\t{text}"


def table(folder, source, rows):
    """Writes the table of one source, sorted by name, and replaces the old one at once."""
    path = os.path.join(folder, source + ".tsv")
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write("".join(line + "\n" for line in sorted(rows)))
    os.replace(path + ".new", path)


def families(folder, used):
    """Writes the table of families: `used` maps ids to (display, kind) where the table has none."""
    lines = []
    for family in sorted(used):
        display, kind = FAMILIES.get(family) or used[family]
        lines.append(f"{family}\t{display}\t{kind}")
    path = os.path.join(folder, "families.tsv")
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write("".join(line + "\n" for line in lines))
    os.replace(path + ".new", path)
