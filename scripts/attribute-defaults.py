#!/usr/bin/env python3
"""Writes the default attribute values of the standard operators to crates/calipers-ops/src/attributes/defaults.txt.

Needs the `onnx` package; works from any directory.
"""

import pathlib

import onnx
from onnx import helper

TARGET = pathlib.Path(__file__).parent.parent / "crates/calipers-ops/src/attributes/defaults.txt"
HEAD = f"""\
# Default attribute values of the operators of ONNX {onnx.__version__}: domain, operator, version, then name=value,
# separated by tabs. A version without defaults has none after it. Made with onnx.defs.get_all_schemas_with_history().
"""


def text(attribute):
    """Returns the default value of an attribute as the page shows it."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode() or '""'
    if isinstance(value, (list, tuple)):
        return ", ".join(item.decode() if isinstance(item, bytes) else repr(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def main():
    versions = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if schema.domain not in ("", "ai.onnx.ml") or schema.deprecated:
            continue
        defaults = [
            f"{name}={text(attribute.default_value)}"
            for name, attribute in sorted(schema.attributes.items())
            if attribute.default_value.name or attribute.default_value.type
        ]
        key = (schema.domain or "ai.onnx", schema.name)
        versions.setdefault(key, []).append((schema.since_version, defaults))
    lines = []
    for (domain, name), rows in sorted(versions.items()):
        last = None
        if not any(defaults for _, defaults in rows):
            continue
        for version, defaults in sorted(rows):
            if defaults != last:
                lines.append("\t".join([domain, name, str(version), *defaults]))
            last = defaults
    TARGET.write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
