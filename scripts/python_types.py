#!/usr/bin/env python3
"""Writes python/calipers/_types.py: a dataclass for each object of the report's and the comparison's JSON Schema.

    python_types.py REPORT_SCHEMA COMPARISON_SCHEMA > _types.py
"""

import json
import keyword
import sys
import textwrap

WIDTH = 116
HEAD = '''"""The types of a report and of a comparison. Written by `scripts/regenerate python` from the JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Union

from calipers._record import ComparisonRecord, Decoder, Record, ReportRecord
'''


def main():
    report, comparison = (json.load(open(path)) for path in sys.argv[1:3])
    definitions = {}
    for schema in (report, comparison):
        for name, definition in schema["$defs"].items():
            known = definitions.setdefault(name, definition)
            if known != definition:
                sys.exit(f"python_types.py: two definitions of {name}")
    roots = {schema["title"]: schema for schema in (report, comparison)}
    classes = {name: it for name, it in (definitions | roots).items() if "properties" in it}
    aliases = {name: it for name, it in definitions.items() if name not in classes}
    parts = [HEAD]
    parts.append("__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(classes | aliases)) + "]\n")
    for name in sorted(aliases):
        parts.append(alias(name, aliases[name], set(aliases)))
    for name in sorted(classes):
        parts.append(dataclass(name, classes[name], f"{name}Record" if name in roots else "Record"))
    # Classes may refer to later ones, so decoders come after all of them.
    for name in sorted(classes):
        plans = {field_name(key): decoder(it, definitions) for key, it in classes[name]["properties"].items()}
        plans = {key: plan for key, plan in plans.items() if plan}
        if plans:
            lines = "".join(f'    "{key}": {plan},\n' for key, plan in plans.items())
            parts.append(f"{name}._decoders = {{\n{lines}}}\n")
    sys.stdout.write("\n".join(parts))


def alias(name, definition, aliases):
    """A closed set, a union or a plain type, under its name."""
    # Unions of other aliases are texts, since those may come later.
    text = python_type(definition)
    if text.startswith("Literal[") and len(text) > 80:
        entries = "".join(f"    {entry},\n" for entry in text[len("Literal[") : -1].split(", "))
        text = f"Literal[\n{entries}]"
    elif " | " in text:
        entries = [f'"{part}"' if part in aliases else part for part in text.split(" | ")]
        text = f"Union[{', '.join(entries)}]"
    return f"{name} = {text}\n" + docstring(definition, "")


def dataclass(name, definition, base):
    required = set(definition.get("required", []))
    fields = definition["properties"]
    settings = "frozen=True, slots=True" + (", repr=False" if base != "Record" else "")
    lines = [f"@dataclass({settings})", f"class {name}({base}):", docstring(definition, "    ")]
    keys = {field_name(key): key for key in fields if field_name(key) != key}
    if keys:
        lines.append(f"    _keys: ClassVar[dict[str, str]] = {json.dumps(keys)}\n")
    lines.append("    _decoders: ClassVar[dict[str, Decoder]] = {}\n")
    ordered = [key for key in fields if key in required] + [key for key in fields if key not in required]
    for key in ordered:
        text = python_type(fields[key])
        default = ""
        if key not in required:
            text, default = optional(text, fields[key])
        lines.append(f"    {field_name(key)}: {text}{default}\n{docstring(fields[key], '    ')}")
    return "\n" + "\n".join(line.rstrip("\n") for line in lines) + "\n"


def optional(text, schema):
    """The type and default of a field that may be left out."""
    value = schema.get("default")
    if value in ([], {}):
        return text, f" = field(default_factory={'list' if value == [] else 'dict'})"
    if value is not None and not isinstance(value, (list, dict)):
        return text, f" = {value!r}"
    return text if "None" in text.split(" | ") else f"{text} | None", " = None"


def python_type(schema):
    if schema is True or not schema:
        return "Any"
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    for union in ("anyOf", "oneOf"):
        if union in schema:
            members = [python_type(member) for member in schema[union]]
            literals = [member[len("Literal[") : -1] for member in members if member.startswith("Literal[")]
            others = [member for member in members if not member.startswith("Literal[")]
            merged = ([f"Literal[{', '.join(literals)}]"] if literals else []) + others
            return " | ".join(dict.fromkeys(merged))
    if "const" in schema:
        return f"Literal[{json.dumps(schema['const'])}]"
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " | ".join(dict.fromkeys(plain(kind, schema) for kind in kinds))


def plain(kind, schema):
    match kind:
        case "string":
            return "str"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
        case "null":
            return "None"
        case "array" if "prefixItems" in schema:
            return f"tuple[{', '.join(python_type(item) for item in schema['prefixItems'])}]"
        case "array":
            return f"list[{python_type(schema.get('items', True))}]"
        case "object":
            return f"dict[str, {python_type(schema.get('additionalProperties', True))}]"
    sys.exit(f"python_types.py: unknown type {kind!r}")


def decoder(schema, definitions):
    """How a value becomes an object; nothing for a value that stays as it is."""
    if schema is True or not schema:
        return None
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        definition = definitions[name]
        return name if "properties" in definition else decoder(definition, definitions)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            plans = {decoder(member, definitions) for member in schema[union]} - {None}
            kinds = {python_type(member) for member in schema[union]} - {"None"}
            if plans and len(kinds) > 1:
                sys.exit(f"python_types.py: cannot decode {schema}")
            return plans.pop() if plans else None
    if "prefixItems" in schema:
        return '("tuple",)'
    if "items" in schema:
        inner = decoder(schema["items"], definitions)
        return f'("list", {inner})' if inner else None
    if isinstance(schema.get("additionalProperties"), dict):
        inner = decoder(schema["additionalProperties"], definitions)
        return f'("dict", {inner})' if inner else None
    return None


def field_name(key):
    return f"{key}_" if keyword.iskeyword(key) else key


def docstring(schema, indent):
    text = schema.get("description", "") if isinstance(schema, dict) else ""
    if not text:
        return ""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    if text.endswith('"'):
        text += " "
    lines = [line for part in text.split("\n") for line in textwrap.wrap(part, WIDTH - len(indent) - 6) or [""]]
    if len(lines) == 1:
        return f'{indent}"""{lines[0]}"""\n'
    body = "".join(f"{indent}{line}".rstrip() + "\n" for line in lines[1:])
    return f'{indent}"""{lines[0]}\n{body}{indent}"""\n'


main()
