"""Helpers for display names, and the entry point that names an entry of any source."""

import re

SIZES = {"atto": "Atto", "femto": "Femto", "zepto": "Zepto", "pico": "Pico", "nano": "Nano", "xxtiny": "XXT",
         "xtiny": "XT", "xx_small": "XXS", "x_small": "XS", "tiny": "T", "mini": "Mini", "small": "S",
         "medium": "M", "base": "B", "base_plus": "B+", "large": "L", "xlarge": "XL", "xxlarge": "XXL",
         "huge": "H", "giant": "g", "gigantic": "G"}


def size(word):
    """Returns the short form of a size: `tiny` is `T`."""
    return SIZES.get(word, word.upper() if len(word) < 3 else word.capitalize())


def width(digits):
    """Returns the width multiplier that timm writes in hundredths: `075` is `0.75`."""
    value = int(digits) / 100
    return f"{value:.1f}" if round(value * 10) == value * 10 else f"{value:g}"


def cut(text, *patterns):
    """Returns the text without the parts that match."""
    for pattern in patterns:
        text = re.sub(pattern, "", text)
    return text


def by_rules(rules, name):
    """Returns (family, variant) of the first rule whose pattern matches the whole name, else None."""
    for pattern, family, variant in rules:
        match = re.fullmatch(pattern, name)
        if match:
            groups = [group or "" for group in match.groups()]
            return family, variant(*groups).strip() if callable(variant) else variant
    return None


def extra(text):
    """Returns the words of a suffix: `_reg4_gap` is ` reg4 gap`."""
    words = [word for word in text.split("_") if word]
    return "".join(" " + word for word in words)
