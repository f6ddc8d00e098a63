"""What the generated types have in common: dictionaries and JSON."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from calipers import _calipers
from calipers._options import arguments

if TYPE_CHECKING:
    from typing_extensions import Self

Decoder = Any
"""None for a plain value; a class; `("list", decoder)`, `("dict", decoder)` or `("tuple",)`."""


class Record:
    """A part of a report: a frozen dataclass that is written as JSON."""

    __slots__ = ()
    _keys: ClassVar[dict[str, str]] = {}
    _decoders: ClassVar[dict[str, Decoder]] = {}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Returns the record in a dictionary, as `to_dict` and JSON have it. Unknown keys are ignored."""
        given: dict[str, Any] = {}
        for field in fields(cls):  # type: ignore[arg-type]
            key = cls._keys.get(field.name, field.name)
            if key in data:
                given[field.name] = _decoded(cls._decoders.get(field.name), data[key])
            elif field.default is MISSING and field.default_factory is MISSING:
                raise ValueError(f"{cls.__name__}: missing field `{key}`")
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Returns the record as dictionaries, lists, texts and numbers."""
        data: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.default is not MISSING and value == field.default:
                continue
            if field.default_factory is not MISSING and value == field.default_factory():
                continue
            data[self._keys.get(field.name, field.name)] = _encoded(value)
        return data

    def to_json(self) -> str:
        """Returns the record as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"


class ReportRecord(Record):
    """A whole report, which can be written in every form."""

    __slots__ = ("_native",)
    _native: _calipers.Report

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Returns the report in a JSON text that `to_json` or the command wrote."""
        return cls._of(_calipers.Report.from_json(text))

    @classmethod
    def _of(cls, native: _calipers.Report) -> Self:
        report = cls.from_dict(json.loads(native.json()))
        object.__setattr__(report, "_native", native)
        return report

    def _written(self) -> _calipers.Report:
        native: _calipers.Report | None = getattr(self, "_native", None)
        if native is None:
            native = _calipers.Report.from_json(json.dumps(Record.to_dict(self)))
            object.__setattr__(self, "_native", native)
        return native

    def to_dict(self) -> dict[str, Any]:
        """Returns the report as dictionaries, lists, texts and numbers: what `json.loads(to_json())` returns."""
        data: dict[str, Any] = json.loads(self._written().json())
        return data

    def to_json(self) -> str:
        """Returns the report as JSON, byte for byte as `calipers inspect --format json` writes it."""
        return self._written().json()

    def card(
        self, *, front_matter: bool = True, date: str | None = None, sections: list[str] | None = None
    ) -> str:
        """Returns the model card as Markdown. `date` is stated where it is given."""
        options = arguments({"date": date, "sections": ",".join(sections) if sections else None})
        if not front_matter:
            options.append("--no-front-matter")
        if date is None:
            options.append("--no-date")
        return self._written().card(options)

    def html(self) -> str:
        """Returns one self-contained page. That of `Model.html` also has the graph."""
        return self._written().html()

    def __repr__(self) -> str:
        data = self.to_dict()
        title = (data.get("summary") or {}).get("title", "")
        return f"<Report of {data['model']['file']}: {title}>"

    def _repr_markdown_(self) -> str:
        return self._written().facts_markdown()

    def _repr_html_(self) -> str:
        facts = self._written().facts_html()
        # The page has its own style and scripts: in a frame, neither reaches the notebook.
        page = escape(self.html(), quote=True)
        return (
            f"<div>{facts}<details><summary>Full report</summary>"
            f'<iframe sandbox="allow-scripts" loading="lazy" title="Full report" '
            f'style="width:100%;height:40em;border:1px solid #8884" srcdoc="{page}"></iframe></details></div>'
        )


class ComparisonRecord(Record):
    """A whole comparison."""

    __slots__ = ("_json",)
    _json: str

    @classmethod
    def _of(cls, text: str) -> Self:
        comparison = cls.from_dict(json.loads(text))
        object.__setattr__(comparison, "_json", text)
        return comparison

    def to_dict(self) -> dict[str, Any]:
        """Returns the comparison as dictionaries, lists, texts and numbers."""
        text: str | None = getattr(self, "_json", None)
        if text is None:
            return Record.to_dict(self)
        data: dict[str, Any] = json.loads(text)
        return data

    def to_json(self) -> str:
        """Returns the comparison as JSON, as `calipers compare --format json` writes it."""
        text: str | None = getattr(self, "_json", None)
        return Record.to_json(self) if text is None else text

    def __repr__(self) -> str:
        data = self.to_dict()
        labels = f"{data['a']['label']} with {data['b']['label']}"
        return f"<Comparison of {labels}: {data['verdict']['compatibility']}>"


def _decoded(decoder: Decoder, value: Any) -> Any:
    if value is None or decoder is None:
        return value
    if isinstance(decoder, type):
        assert issubclass(decoder, Record)
        return decoder.from_dict(value)
    if decoder[0] == "list":
        return [_decoded(decoder[1], entry) for entry in value]
    if decoder[0] == "dict":
        return {key: _decoded(decoder[1], entry) for key, entry in value.items()}
    return tuple(value)


def _encoded(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, (list, tuple)):
        return [_encoded(entry) for entry in value]
    if isinstance(value, dict):
        return {key: _encoded(entry) for key, entry in value.items()}
    return value
