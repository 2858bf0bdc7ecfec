"""`python -m shapecheck` is the console script `shapecheck`."""

import sys

from shapecheck.cli import main

if __name__ == "__main__":
    sys.exit(main())
