"""A cache of the tokens of each network, one JSON object per line."""

import json
import os
import time

FOLDER = os.environ.get("LIBRARY_CACHE", "cache")


def load(source):
    """Returns the entries of a source by name."""
    path = os.path.join(FOLDER, source + ".jsonl")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines]
    return {entry["name"]: entry for entry in entries}


def collect(source, jobs, names=None):
    """Runs each job (name, function) that has no entry yet, and stores its result.

    A function returns (class name, tokens, order, error). `names` returns the family and the
    variant of an entry where the source knows them.
    """
    os.makedirs(FOLDER, exist_ok=True)
    known = load(source)
    with open(os.path.join(FOLDER, source + ".jsonl"), "a", encoding="utf-8") as out:
        for name, build in jobs:
            if name in known:
                continue
            started = time.time()
            try:
                cls, tokens, order, error = build()
            except Exception as failure:
                cls, tokens, order = None, [], "failed"
                error = f"{type(failure).__name__}: {str(failure)[:200]}"
            seconds = round(time.time() - started, 2)
            entry = {"name": name, "class": cls, "order": order, "error": error, "seconds": seconds}
            if names:
                entry["family"], entry["variant"] = names(name)
            out.write(json.dumps({**entry, "tokens": tokens}) + "\n")
            out.flush()
    return load(source)
