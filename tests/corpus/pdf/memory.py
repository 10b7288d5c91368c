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
import os, sys, threading
from pathlib import Path
from duocthu_core.corpus.importing import import_files

def status(process):
    try:
        return dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    except OSError:  # it has ended
        return {}

def peak(process):
    return int(status(process).get("VmHWM", "0 kB").split()[0])

readers, ended, mine = {}, threading.Event(), str(os.getpid())

def look():
    while not ended.wait(0.02):
        for name in filter(str.isdigit, os.listdir("/proc")):
            if name in readers or status(name).get("PPid", "").strip() == mine:
                readers[name] = max(readers.get(name, 0), peak(name))

looking = threading.Thread(target=look)
looking.start()
try:
    report = import_files([Path(sys.argv[1])], "Bản thử", Path(sys.argv[2]))
finally:
    ended.set()
    looking.join()
assert report.written, report
assert any(readers.values()), "no process that read pages was seen"
print(peak("self") + sum(readers.values()))
"""


def peak_memory_of_import(book: Path, corpus: Path) -> float:
    """The most megabytes that an import of ``book`` into ``corpus`` held, its processes' peaks added. Linux only."""
    command = [sys.executable, "-c", _PROGRAM, str(book), str(corpus)]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    return int(finished.stdout) / 1024
