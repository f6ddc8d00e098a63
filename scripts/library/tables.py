"""Turns the collected entries into the tables of the library."""

import gzip
import json
import os
import sys

import cache
import write
from families import FAMILIES
from names_hf import transformers_names
from names_torchvision import torchvision_names
from names_vit import timm_names
from networks import NETWORKS
from tokens import token

NAMED = {"timm": timm_names, "torchvision": torchvision_names}


def names_of(source, entry):
    """Returns (family, variant, display, kind) of an entry."""
    display, kind = None, "cnn"
    if source == "transformers":
        family, variant, display, kind = transformers_names(entry["name"], entry.get("class"))
    elif "family" in entry:
        family, variant = entry["family"], entry["variant"]
    else:
        family, variant = NAMED[source](entry["name"])
    # One name for the networks of PP-OCR, and one for each generation of ShuffleNet.
    if variant.startswith("PP-OCR"):
        family = "pp-ocr"
    elif family == "shufflenet" and "V2" in variant:
        family = "shufflenetv2"
    elif family == "pp-doclayout-v3":
        family = "pp-doclayout"
    display, kind = FAMILIES.get(family, (display or family, kind))
    return family, variant, display, kind


def reference_entries(path):
    """Returns the shapes of a reference list, by source and name, as tokens."""
    entries = {}
    if not path:
        return entries
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            tokens = [_guess(dims, entry["source"]) for dims in entry["weights"]]
            entries.setdefault(entry["source"], {})[entry["name"]] = {
                "name": entry["name"], "class": entry["family"], "tokens": [t for t in tokens if t]}
    return entries


def _guess(dims, source):
    """Returns the likely token of a weight whose dimensions alone are known."""
    if len(dims) in (4, 5) and dims[0] > 1:
        return token("c", dims)
    if len(dims) == 3 and dims[0] > 1 and dims[2] < 64:
        return token("c", dims)
    if len(dims) == 2 and min(dims) > 1:
        return token("e" if source == "transformers" and dims[0] >= 5000 else "l", dims)
    return token("p", dims) if sum(d > 1 for d in dims) > 1 else None


def _entries_of(source, known):
    """Returns the entries of one table: those of the package, else those of the reference list."""
    entries = dict(known.get(source, {}))
    entries.update({name: entry for name, entry in cache.load(source).items() if entry["tokens"]})
    if source == "published":
        for name, (family, tokens) in NETWORKS.items():
            entries[name] = {"name": name, "family": family, "variant": name, "tokens": tokens}
        for name, entry in _original_yolov5(cache.load("ultralytics")):
            entries[name] = entry
    return entries


def _original_yolov5(entries):
    """Yields YOLOv5 with its own head: one convolution per level, 3 anchors x (80 classes + 5)."""
    for size, widths in {"n": (64, 128, 256), "s": (128, 256, 512), "m": (192, 384, 768), "l": (256, 512, 1024),
                         "x": (320, 640, 1280)}.items():
        entry = entries.get(f"yolov5{size}")
        if not entry or not entry["tokens"]:
            continue
        tokens = entry["tokens"]
        # The head of the description starts with the box branch of the first level.
        box = max(64, widths[0] // 4)
        branch = [f"c{box}x{widths[0]}x3x3", f"c{box}x{box}x3x3", f"c64x{box}x1x1"]
        start = max(i for i in range(len(tokens)) if tokens[i:i + 3] == branch)
        head = [f"c255x{width}x1x1" for width in widths]
        yield f"yolov5{size}", {"name": f"yolov5{size}", "family": "yolov5", "variant": f"YOLOv5{size}",
                                "tokens": tokens[:start] + head}


def _named_sizes():
    """Returns the variants of published sizes, with and without the output layer, by their weights.

    Some default configurations are public sizes.
    """
    sizes = {}
    for entry in cache.load("published").values():
        if entry["tokens"]:
            sizes[entry["family"], tuple(entry["tokens"])] = entry["variant"]
            without_head = entry["variant"].replace(" CTC", "")
            sizes.setdefault((entry["family"], tuple(entry["tokens"][:-1])), without_head)
    return sizes


def build(folder, sources, reference=None):
    """Writes the table of each source and the table of families."""
    known = reference_entries(reference)
    sizes = _named_sizes()
    used = {}
    total = 0
    for source in sources:
        rows = []
        seen = set()
        for entry in _entries_of(source, known).values():
            family, variant, display, kind = names_of(source, entry)
            if source == "transformers":
                variant = sizes.get((family, tuple(entry["tokens"])), variant)
            if source in MERGED and (family, variant, tuple(entry["tokens"])) in seen:
                continue
            seen.add((family, variant, tuple(entry["tokens"])))
            used.setdefault(family, (display, kind))
            rows.append(write.row(entry["name"], family, variant, entry["tokens"]))
        if rows:
            write.table(folder, source, rows)
            print(f"{source}: {len(rows)}")
        total += len(rows)
    write.families(folder, used)
    print(f"families: {len(used)}, networks: {total}")


SOURCES = ["timm", "torchvision", "transformers", "ultralytics", "diffusers", "keras", "open_clip", "paddle",
           "published"]
# Sources that list the same network under several names.
MERGED = {"open_clip"}

if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    build(sys.argv[1], SOURCES, sys.argv[2] if len(sys.argv) > 2 else None)
