"""Checks cards as the tools of their readers would; run by scripts/cards, which installs what it needs.

For each card: huggingface_hub takes its front matter, a linter finds nothing, and cmark-gfm (GitHub's
renderer) makes of it only what a card is made of: every table whole, every fold closed, no link, no
chart that is not the card's own, no heading that the contents lack, nothing of a model's names.
"""

import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options
from huggingface_hub import ModelCard, ModelCardData
from pymarkdown.api import PyMarkdownApi

ROOT = Path(__file__).resolve().parent.parent

# Parts whose cards the linter looks at.
LINTED = {"seeds", "names", "fixtures"}

# What a card may be made of, with the attributes that each may have.
ELEMENTS = {
    "h1": set(), "h2": set(), "h3": set(), "p": set(), "em": set(), "strong": set(), "ul": set(), "li": set(),
    "table": set(), "thead": set(), "tbody": set(), "tr": set(), "th": {"align"}, "td": {"align"},
    "code": set(), "pre": {"lang"}, "details": set(), "summary": set(), "picture": set(),
    "source": {"media", "srcset"}, "img": {"alt", "src", "width"},
}
VOID = {"source", "img"}
ANCHOR = re.compile(r"#[a-z-]+")
ASSET = re.compile(r"assets/[a-z-]+-(light|dark)\.(svg|png)")

# Names that try to be something else.
HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "![a](http://evil/x.png)",
    "a|b|c", "a\\|b", "`code` ``two``", "**bold** __x__ ~~y~~", "# heading", "- item", "1. item", "> quote",
    "---", "| a |\n|---|", "</details></table>", "<!-- -->", "-->", "&lt;i&gt; &#60;", "http://evil.example www.evil.example",
    "me@evil.example", "mailto:me@evil.example", "```\nfence\n```", "line\nbreak\r\ttab", "\u202etxt.exe", "$$x^2$$",
    "key: value", "{{ jinja }} {% x %}", "x" * 5000, " ", "\u200b", "]] [[ ]( )[", "\\", "a\\", "$(rm)", "'\"",
    "<https://evil.example>", "xmpp:a@b.cd", "FTP://evil.example", "a<b>c", "*", "_", "=", "+",
]


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def message(*fields):
    """A protobuf message: numbers are varints, texts and bytes have their length."""
    out = b""
    for tag, value in fields:
        if isinstance(value, int):
            out += varint(tag * 8) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(tag * 8 + 2) + varint(len(value)) + value
    return out


def hostile_model(name):
    """A model with a weight, an unknown operator and a known one, and the name wherever one can be."""
    shape = message((1, message((2, name))), (1, message((1, 4))))
    port = lambda of: message((1, of), (2, message((1, message((1, 1), (2, shape))))), (3, name))
    weight = message((1, 4), (2, 1), (8, f"w {name}"), (9, struct.pack("<4f", 1, 2, 3, 4)))
    nodes = [
        message((1, f"in {name}"), (2, f"mid {name}"), (3, name), (4, name), (7, name)),
        message((1, f"mid {name}"), (1, f"w {name}"), (2, f"sum {name}"), (3, f"n {name}"), (4, "Add")),
        message((1, f"sum {name}"), (2, f"out {name}"), (3, name), (4, "Relu")),
    ]
    graph = message(*((1, node) for node in nodes), (2, name), (5, weight), (11, port(f"in {name}")), (12, port(f"out {name}")))
    opsets = [message((1, ""), (2, 17)), message((1, name), (2, 1))]
    entry = message((1, f"k {name}"), (2, name))
    return message((1, 8), (2, name), (3, name), (4, name), (6, name), (7, graph), *((8, one) for one in opsets), (14, entry))


class Reader(HTMLParser):
    """Walks a rendered card and collects what should not be in it."""

    def __init__(self, is_index):
        super().__init__(convert_charrefs=True)
        self.elements, self.is_index = ELEMENTS | {"a": {"href"}}, is_index
        self.faults, self.open, self.columns, self.row, self.tables, self.folds = [], [], None, 0, 0, 0

    def handle_starttag(self, tag, attributes):
        if tag not in self.elements:
            self.faults.append(f"an element {tag}")
            return
        for name, value in attributes:
            if name not in self.elements[tag]:
                self.faults.append(f"an attribute {name} of {tag}")
            # An index links to cards, a card to its own headings.
            if name == "href" and not self.is_index and not ANCHOR.fullmatch(value or ""):
                self.faults.append(f"a link to {value!r}")
            if name in ("src", "srcset") and not ASSET.fullmatch(value or ""):
                self.faults.append(f"a chart from {value!r}")
        if tag == "details":
            self.folds += 1
        if tag == "table":
            self.tables, self.columns = self.tables + 1, None
        if tag == "tr":
            self.row = 0
        if tag in ("td", "th"):
            self.row += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"{tag} ends that did not begin")
        if tag == "tr":
            if self.columns not in (None, self.row):
                self.faults.append(f"a row of {self.row} cells in a table of {self.columns}")
            self.columns = self.row

    def handle_comment(self, text):
        # The mark by which Calipers knows its own files is the only comment with words.
        if text.strip() not in ("", "Generated by Calipers"):
            self.faults.append("a comment that says something")


def rendered_faults(card, is_index=False):
    """What cmark-gfm makes of the card that should not be there. Front matter is not Markdown."""
    body = card.split("---\n", 2)[2] if card.startswith("---\n") else card
    html = cmarkgfm.github_flavored_markdown_to_html(body, Options.CMARK_OPT_UNSAFE)
    reader = Reader(is_index)
    reader.feed(html)
    reader.close()
    faults = reader.faults
    if reader.open:
        faults.append(f"{reader.open} are left open")
    # A table that is none stays text with bars.
    tables = len(re.findall(r"^\| -+", body, re.MULTILINE))
    if reader.tables != tables:
        faults.append(f"{reader.tables} tables of {tables}")
    if reader.folds != body.count("\n<details>\n"):
        faults.append("a fold that is none")
    headings = re.findall(r"^## (.*)$", body, re.MULTILINE)
    anchors = set(re.findall(r"\]\(#([a-z-]+)\)", body))
    if not is_index and anchors != {heading.lower().replace(" ", "-") for heading in headings}:
        faults.append("the contents are not the headings")
    if not re.match(r"<h1>", html):
        faults.append("it does not begin with its title")
    return faults


def front_matter_faults(card):
    if not card.startswith("---\n"):
        return ["front matter is missing"]
    try:
        data = ModelCard(card, ignore_metadata_errors=False).data
        again = ModelCardData(**data.to_dict())
    except Exception as error:
        return [f"front matter: {error}"]
    faults = []
    read = again.to_dict()
    if read.get("library_name") != "onnx" or "onnx" not in read.get("tags", []):
        faults.append("front matter lacks library_name or tags")
    known = {"library_name", "pipeline_tag", "model_name", "tags", "license", "license_name", "base_model", "language"}
    keys = set(data.to_dict()) - known
    if keys:
        faults.append(f"front matter has {sorted(keys)} also")
    return faults


def lint_faults(path, is_hostile):
    """What the linter says. Lines may be long, and HTML is checked against the list above. In hostile names, the linter
    takes escapes for what they escape: a column that lines up does not for it, and brackets are links."""
    linter = PyMarkdownApi().enable_extension_by_identifier("front-matter").enable_extension_by_identifier("markdown-tables")
    rules = ["line-length", "no-inline-html"] + (["md060", "md011"] if is_hostile else [])
    for rule in rules:
        linter = linter.disable_rule_by_identifier(rule)
    linter = linter.set_boolean_property("plugins.no-duplicate-heading.siblings_only", True)
    found = linter.scan_path(str(path)).scan_failures
    return [f"line {one.line_number}: {one.rule_id} {one.rule_description} {one.extra_error_information}" for one in found]


def write_cards(calipers, folder):
    """Cards of every kind; gives their paths."""
    shutil.rmtree(folder, ignore_errors=True)
    hostile = folder / "models"
    hostile.mkdir(parents=True)
    for number, name in enumerate(HOSTILE):
        (hostile / f"name-{number}.onnx").write_bytes(hostile_model(name))
    # A file's own name is a name too.
    (hostile / "a|b <i>`x` [y](z) & é.onnx").write_bytes(hostile_model("x"))
    extended = Path(os.environ.get("CALIPERS_SHARED", ROOT.parent / "shared"))
    sources = {"fixtures": ROOT / "tests/fixtures", "names": hostile}
    for part in ("seeds", "zoo"):
        if (extended / "models" / part).is_dir():
            sources[part] = extended / "models" / part
    if (extended / "hostile").is_dir():
        sources["hostile"] = extended / "hostile"
    for name, source in sources.items():
        options = ["--device", "rtx-4050-mobile", "--target-latency", "20ms"] if name == "seeds" else []
        command = [calipers, "card", source, "-o", folder / name, *options]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode not in (0, 1):
            sys.exit(f"{name}: {ended.stderr}")
    return sorted(folder.glob("*/**/README.md"))


def check(path, folder):
    """Whether a card is an index of others, and its faults."""
    card = path.read_text(encoding="utf-8")
    is_index = card.startswith("# Models\n")
    if is_index:
        # Links of an index are its own, and lead to cards.
        links = set(re.findall(r"\]\(([^)]*)\)", card))
        faults = [f"a link to {link}" for link in links if not (path.parent / link).is_file()]
        faults += rendered_faults(card, is_index=True)
    else:
        faults = front_matter_faults(card) + rendered_faults(card)
    # The linter is slow, and the other models are like these.
    part = path.relative_to(folder).parts[0]
    if part in LINTED:
        faults += lint_faults(path, part == "names" or path.parent.name.startswith("hostile"))
    return is_index, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--calipers", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    cards = write_cards(arguments.calipers, arguments.folder)
    # The linter takes about a second for a card, on one core.
    with ProcessPoolExecutor() as workers:
        checked = list(workers.map(check, cards, [arguments.folder] * len(cards), chunksize=4))
    failed = 0
    for path, (_, faults) in zip(cards, checked, strict=True):
        if faults:
            failed += 1
            print(f"{path.relative_to(arguments.folder)}: {'; '.join(dict.fromkeys(faults))}"[:600])
    indexes = sum(is_index for is_index, _ in checked)
    print(f"cards: {len(cards) - indexes} of models and {indexes} indexes, {failed} with faults")
    return 1 if failed or not cards else 0


if __name__ == "__main__":
    sys.exit(main())
