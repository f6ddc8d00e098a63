#!/usr/bin/env python3
"""Makes the embedded fonts of the charts, and the table of their widths, from the npm package `inter-ui`.

Usage: subset-font.py FOLDER_OF_THE_UNPACKED_PACKAGE. Needs `fonttools` and `brotli`. Nobody needs to run this
but to take a newer Inter: what it writes is in the repository.
"""

import sys
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "crates/calipers-render/src/chart/font"
WEIGHTS = ("Regular", "SemiBold")

# Latin, Greek and Cyrillic letters for names; punctuation and signs that our own words use.
RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x370, 0x3FF), (0x400, 0x45F)]
SIGNS = [ord(c) for c in "–—‘’“”„†•…‰′″‹›⁰⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉€←↑→↓−∞≈≠≤≥√∑◆●▲■\ufffd"]


def subset(source, weight):
    font = TTFont(source / "web" / f"Inter-{weight}.woff2")
    wanted = [c for first, last in RANGES for c in range(first, last + 1)] + SIGNS
    options = Options()
    # Without kerning a text is as wide as its characters, which the layout counts on.
    options.layout_features = []
    options.hinting = False
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14, 16, 17]
    options.drop_tables += ["GPOS", "GSUB", "GDEF", "STAT", "meta", "DSIG"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    font.flavor = None
    # The clock has no place in what is built.
    font.recalcTimestamp = False
    return font


def widths(fonts):
    """For each character of all fonts, its advance in thousandths of the font's size, one after another."""
    shared = sorted(set.intersection(*(set(font.getBestCmap()) for font in fonts)))
    for code in shared:
        advances = []
        for font in fonts:
            advance = font["hmtx"][font.getBestCmap()[code]][0]
            advances.append(-(-advance * 1000 // font["head"].unitsPerEm))
        yield code, advances


def main():
    source = Path(sys.argv[1])
    fonts = [subset(source, weight) for weight in WEIGHTS]
    for font, weight in zip(fonts, WEIGHTS):
        font.save(TARGET / f"Inter-{weight}.ttf")
    (TARGET / "OFL.txt").write_text((source / "LICENSE.txt").read_text())
    lines = [
        "# Advances of the embedded fonts in thousandths of the size, written by scripts/subset-font.py.",
        "# A line is a character's number, its advance in Regular and in SemiBold.",
    ]
    lines += [f"{code:x} {' '.join(map(str, advances))}" for code, advances in widths(fonts)]
    (TARGET / "advances.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
