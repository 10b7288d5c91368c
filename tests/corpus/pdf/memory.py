"""The peak memory of an import, of its own process and those that read the pages together.

Each process tells its own peak (``VmHWM``), which begins anew with the program it runs. ``ru_maxrss`` does not: a child begins with the
peak of whatever started it, which for a test is the whole suite's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

_PROGRAM = """
import os, sys
from pathlib import Path
from duocthu_core.corpus.importing import import_files

def status(process):
    try:
        return dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    except OSError:  # it has ended
        return {}

def peak(process):
    return int(status(process).get("VmHWM", "0 kB").split()[0])

readers = {}

def look(path, done, total):
    if not readers:
        mine = str(os.getpid())
        readers.update({name: 0 for name in os.listdir("/proc") if name.isdigit() and status(name).get("PPid", "").strip() == mine})
    for reader in readers:
        readers[reader] = max(readers[reader], peak(reader))

report = import_files([Path(sys.argv[1])], "Bản thử", Path(sys.argv[2]), on_page=look)
assert report.written and readers and all(readers.values())
print(peak("self") + sum(readers.values()))
"""


def peak_memory_of_import(book: Path, corpus: Path) -> float:
    """The most megabytes that an import of ``book`` into ``corpus`` held, its processes' peaks added. Linux only."""
    command = [sys.executable, "-c", _PROGRAM, str(book), str(corpus)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return int(finished.stdout) / 1024
