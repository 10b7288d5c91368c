"""The process beside the application that does its jobs on SQLite: started by it, never by hand (``python -m duocthu_core.cli.beside``)."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys

from duocthu_core.bootstrap import job_work
from duocthu_core.cli.working import Opened
from duocthu_core.settings import load_settings

_LESS_URGENT = 5
"""Added to the niceness: whoever waits for a page comes first."""


def main() -> int:
    """Does the parts that standard input names, line by line, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches this process too; it ends after its part, when its input does
    os.nice(_LESS_URGENT)
    opened = Opened(load_settings())
    work = job_work(opened.services, opened.reopen)
    gc.freeze()
    for line in sys.stdin:
        job_id, number = json.loads(line)
        sys.stdout.write(json.dumps(work.carry_out(str(job_id), int(number))) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
