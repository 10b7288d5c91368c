"""The queue of jobs on PostgreSQL (Procrastinate): how parts are put into it, and the worker that takes them out.

The queue only says who works next. What is done is kept by :class:`duocthu_core.storage.jobs.SqlJobStore`, so a task that comes twice
finds its part finished.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job as QueuedTask
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, text

from duocthu_core.jobs.working import Work
from duocthu_core.storage.database import Database
from duocthu_core.storage.errors import StorageUnavailable

QUEUE = "jobs"
TASK = "duocthu.job_part"
STALLED_AFTER_S = 30.0
_CONNECT_AGAIN_S = 1.0
_CONNECTION_TIMEOUT_S = 5.0
_BESIDE = 4
"""Connections and threads of a worker besides those that work: heartbeats, looking for tasks, looking for stalled ones."""
_log = logging.getLogger(__name__)


class _Again(Exception):
    """A part that is to be tried again after some seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"again in {seconds:g} s")
        self.seconds = seconds


class _AsAsked(BaseRetryStrategy):
    """Tries a part again when it asked for it; whether it may is not the queue's to say."""

    def get_retry_decision(self, *, exception: BaseException, job: QueuedTask) -> RetryDecision | None:  # noqa: ARG002 - the base names it
        seconds = exception.seconds if isinstance(exception, _Again) else STALLED_AFTER_S
        return RetryDecision(retry_in={"seconds": int(seconds)})


_sender = App(connector=SyncPsycopgConnector())
"""Only writes on connections that it is handed; it has none of its own."""


def hand_over(connection: Connection, job_id: str, parts: int) -> None:
    """Puts the parts of a job into the queue, within the transaction of ``connection``."""
    task = _sender.configure_task(TASK, queue=QUEUE, connection=connection.connection.driver_connection)
    task.batch_defer(*({"job_id": job_id, "part": number} for number in range(parts)))


class QueueWorker:
    """Takes parts out of the queue and does them, ``concurrency`` at a time, until it is asked to stop.

    While the database is away it waits. A part whose worker has not been heard of for ``stalled_after_s`` seconds goes back into the
    queue; any worker notices that.
    """

    def __init__(self, database: Database, work: Work, *, concurrency: int = 1, stalled_after_s: float = STALLED_AFTER_S) -> None:
        self._database = database
        self._work = work
        self._concurrency = concurrency
        self._stalled_after_s = stalled_after_s
        self._stopping = threading.Event()

    def run(self) -> None:
        """Works until SIGINT or SIGTERM; parts under way are broken off after their case and go back into the queue."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(self._concurrency + _BESIDE, thread_name_prefix="jobs"))
        stop = asyncio.Event()

        def pull() -> None:
            self._stopping.set()
            stop.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, pull)
        while not stop.is_set():
            try:
                await asyncio.to_thread(self._look)
                await self._work_until(stop)
            except (ConnectorException, psycopg.OperationalError, StorageUnavailable) as error:
                _log.warning("the database is away, and is asked again: %s", " ".join(str(error.__cause__ or error).split())[:200])
            if not stop.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _CONNECT_AGAIN_S)

    def _look(self) -> None:
        with self._database.reading() as connection:
            connection.execute(text("SELECT 1"))

    async def _work_until(self, stop: asyncio.Event) -> None:
        """One connection to the queue's life: until ``stop``, or until the database goes away."""
        app = self._app()
        async with app.open_async():
            working = asyncio.create_task(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=self._concurrency,
                    install_signal_handlers=False,
                    delete_jobs="successful",
                    update_heartbeat_interval=self._stalled_after_s / 4,
                    stalled_worker_timeout=self._stalled_after_s,
                )
            )
            beside = [asyncio.create_task(self._take_back(app)), asyncio.create_task(stop.wait())]
            try:
                await asyncio.wait({working, *beside}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (*beside, working):
                    task.cancel()
                results = await asyncio.gather(*beside, working, return_exceptions=True)
            for result in results:
                if isinstance(result, Exception):
                    raise result

    async def _take_back(self, app: App) -> None:
        """Puts tasks of workers that are not heard of any more back into the queue."""
        while True:
            try:
                for task in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=self._stalled_after_s):
                    _log.warning("%s of job %s goes back into the queue: its worker is not heard of", TASK, task.task_kwargs.get("job_id"))
                    await app.job_manager.retry_job(task)
            except ConnectorException as error:  # another worker was first, or the database is away; the next round will tell
                _log.info("stalled tasks: %s", error)
            await asyncio.sleep(self._stalled_after_s / 4)

    def _app(self) -> App:
        _, how = self._database.engine.dialect.create_connect_args(self._database.engine.url)
        how = {name: value for name, value in how.items() if name != "context"}  # how SQLAlchemy wants types adapted; no option
        connector = PsycopgConnector(
            conninfo=make_conninfo(**how, application_name="duocthu worker", connect_timeout=int(_CONNECTION_TIMEOUT_S)),
            min_size=1,
            max_size=self._concurrency + _BESIDE,
            timeout=_CONNECTION_TIMEOUT_S,
            reconnect_timeout=_CONNECTION_TIMEOUT_S,
        )
        app = App(connector=connector)

        @app.task(name=TASK, queue=QUEUE, retry=_AsAsked(), pass_context=True)
        def job_part(context: JobContext, job_id: str, part: int) -> None:
            again = self._work.carry_out(job_id, part, lambda: self._stopping.is_set() or context.should_abort())
            if again is not None:
                raise _Again(again)

        return app
