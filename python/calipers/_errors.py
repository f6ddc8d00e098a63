"""What `calipers` raises. The text is the one that the command prints."""

from __future__ import annotations


class CalipersError(Exception):
    """The base of every exception of this package.

    `str(error)` is what the command prints after `error:`; `hint` is what it prints after `hint:`.
    """

    hint: str | None
    """What to do about it, where that is known."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        if hint is not None and hasattr(self, "add_note"):
            self.add_note(f"hint: {hint}")

    def __reduce__(self) -> tuple[type[CalipersError], tuple[str, str | None]]:
        return type(self), (str(self), self.hint)


class ReadError(CalipersError, ValueError):
    """A file or bytes cannot be read as a model."""


class OptionError(CalipersError, ValueError):
    """An option is wrong, or the model does not take it."""


class InternalError(CalipersError, RuntimeError):
    """Calipers has an error of its own. Other calls are not affected."""
