"""Parts of jobs done in a process beside the application: what keeps a processor busy must not keep the pages waiting.

In one process, a thread that computes and the threads that draw pages take the interpreter from each other at every step; on a busy
machine each handing over costs more than the step.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from duocthu_core.jobs.importing import IMPORT
from duocthu_core.jobs.model import Job

_log = logging.getLogger(__name__)
_IDLE_S = 300.0
"""How long a process without work is kept: its start takes seconds."""
_BEGIN_AGAIN_S = 1.0
_FEW_CASES = 30
_END_S = 10.0


def _with_this_package() -> dict[str, str]:
    """The environment, in which this very package is found from every folder."""
    root = str(Path(__file__).resolve().parents[2])
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}


class Doing(Protocol):
    """Whatever does one part of a job (see :meth:`duocthu_core.jobs.working.Work.carry_out`)."""

    def carry_out(self, job_id: str, number: int, asked_to_stop: Callable[[], bool] = ..., /) -> float | None:
        """Does a part; the seconds after which it is to be tried again, or None."""
        ...


def is_light(job: Job) -> bool:
    """Whether a job takes less than the start of a process: a few cases, or files that are not to be read off pages."""
    if job.kind == "eval.run":
        return job.total <= _FEW_CASES
    uploads = job.arguments.get("uploads")
    return job.kind == IMPORT and isinstance(uploads, list) and not any(str(name).lower().endswith(".pdf") for name in uploads)


class ProcessBeside:
    """Does parts in a process that is started at the first one, one at a time.

    The process reads a line for each part (``job id``, ``number`` as a JSON list) and answers with one (seconds or null). It ends when its
    input ends, so also with the application; a part that it was ended in is begun again by the next one.
    """

    def __init__(self, command: Sequence[str], idle_s: float = _IDLE_S) -> None:
        self._command = tuple(command)
        self._idle_s = idle_s
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._ending: threading.Timer | None = None

    def carry_out(self, job_id: str, number: int, asked_to_stop: Callable[[], bool] = lambda: False, /) -> float | None:  # noqa: ARG002
        """Has the process do the part. Where it ends meanwhile, the part is to be tried again."""
        with self._lock:
            if self._ending is not None:
                self._ending.cancel()
            try:
                return self._asked(json.dumps([job_id, number]))
            except (OSError, ValueError) as error:
                _log.warning("the process beside the application ended in job %s, part %d: %s", job_id, number, error)
                self._end()
                return _BEGIN_AGAIN_S
            finally:
                self._ending = threading.Timer(self._idle_s, self.end)
                self._ending.daemon = True
                self._ending.start()

    def end(self) -> None:
        """Ends the process, after the part that it is at."""
        with self._lock:
            self._end()

    def _asked(self, line: str) -> float | None:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = subprocess.Popen(  # noqa: S603 - the application's own command
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_with_this_package()
            )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise OSError(f"exit code {process.wait(_END_S)}")
        return json.loads(answer)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()
