"""``python -m duocthu_core``."""

import sys

from duocthu_core.cli import main

sys.exit(main())
