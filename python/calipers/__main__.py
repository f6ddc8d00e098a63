"""`python -m calipers` is the command."""

from calipers._command import main

main()
