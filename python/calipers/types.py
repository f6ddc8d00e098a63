"""Every type of a report and of a comparison."""

from calipers._types import *  # noqa: F403
