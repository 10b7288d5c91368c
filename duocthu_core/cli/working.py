"""``worker``: does the jobs of the queue, on this machine and any other that reaches the same PostgreSQL (spec 06)."""

from __future__ import annotations

import logging
import sys
import threading

from duocthu_core.bootstrap import Services, bootstrap, job_work
from duocthu_core.cli.errors import DONE, BadInput
from duocthu_core.settings import Settings
from duocthu_core.storage.database import open_database
from duocthu_core.storage.job_queue import QueueWorker


def run_worker(settings: Settings, concurrency: int, stalled_after_s: float) -> int:
    """Works until SIGINT or SIGTERM. Raises BadInput on SQLite, whose jobs the application itself does."""
    if concurrency < 1:
        raise BadInput("--concurrency: give 1 or more")
    if stalled_after_s < 1:
        raise BadInput("--stalled-after: give 1 second or more")
    database = open_database(settings.effective_database_url)
    if not database.is_postgresql:
        raise BadInput("jobs on SQLite are done by the application itself; workers need PostgreSQL: set DUOCTHU_DATABASE_URL")
    opened = Opened(settings)
    work = job_work(opened.services, opened.reopen)
    logging.getLogger("duocthu_core").setLevel(logging.INFO)
    sys.stderr.write(f"worker: {concurrency} at a time, jobs of {database.place}\n")
    sys.stderr.flush()
    QueueWorker(database, work, concurrency=concurrency, stalled_after_s=stalled_after_s).run()
    sys.stderr.write("worker: stopped\n")
    return DONE


class Opened:
    """The services of a worker: built once, and anew where a job asks for a corpus that was chosen since."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._services = bootstrap(settings)

    def services(self) -> Services:
        """The services of the moment."""
        return self._services

    def reopen(self) -> None:
        """Builds the services anew."""
        with self._lock:
            self._services = bootstrap(self._settings)
