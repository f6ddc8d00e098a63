"""Every type of a report and of a comparison."""

from calipers._types import *  # noqa: F403
from calipers._types import __all__ as __all__
