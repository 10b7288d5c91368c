"""An installation of several processes on one PostgreSQL: applications, workers and a model that takes its time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from duocthu_core.bootstrap import Services, bootstrap
from duocthu_core.evaluation.sets import EVALS_FOLDER
from duocthu_core.settings import load_settings
from duocthu_core.storage.database import open_database
from duocthu_core.storage.schema import upgrade
from tests.servers.databases import url_text

ROOT = Path(__file__).resolve().parents[2]
STALLED_AFTER_S = 3
_PATIENCE_S = 900


class Installation:
    """What every process of it is started with."""

    def __init__(self, url: URL, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = {"DUOCTHU_DATABASE_URL": url_text(url), "DUOCTHU_DATA_DIR": str(folder), **settings}

    def upgrade(self) -> None:
        """Makes the tables."""
        database = open_database(self.settings["DUOCTHU_DATABASE_URL"], prepare=False)
        upgrade(database)
        database.close()

    def services(self) -> Services:
        """The services of an application process."""
        return bootstrap(load_settings(_env_file=None, **self.settings))

    def worker(self, concurrency: int = 1) -> subprocess.Popen[bytes]:
        """Starts ``python -m duocthu_core worker``."""
        return self.command("worker", "--concurrency", str(concurrency), "--stalled-after", str(STALLED_AFTER_S))

    def command(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Starts a command of the product; what it says goes to ``commands.log``."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DUOCTHU_", "ANSWER_", "JUDGE_", "OPENAI_"))}
        with (self.folder / "commands.log").open("ab") as log:
            command = [sys.executable, "-m", "duocthu_core", *arguments]
            return subprocess.Popen(command, cwd=ROOT, env=kept | self.settings, stdout=log, stderr=log)

    def said(self) -> str:
        """What its processes said last."""
        return (self.folder / "commands.log").read_text(encoding="utf-8", errors="replace")[-4000:]

    @contextmanager
    def workers(self, count: int, concurrency: int = 1) -> Iterator[list[subprocess.Popen[bytes]]]:
        """Some workers, all gone afterwards."""
        started = [self.worker(concurrency) for _ in range(count)]
        try:
            yield started
        finally:
            for process in started:
                process.send_signal(signal.SIGTERM)
            for process in started:
                try:
                    process.wait(timeout=30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def wait_until(self, what: Callable[[], bool], told: str) -> None:
        """Waits for something that processes bring about, for minutes: how long it takes is not what is tested."""
        gives_up_at = time.monotonic() + _PATIENCE_S
        while not what():
            assert time.monotonic() < gives_up_at, f"never came: {told}\n{self.said()}"
            time.sleep(0.1)


def many_cases(path: Path, count: int) -> Path:
    """A set of ``count`` cases, each a shipped one of a single turn that brings no model, under an id of its own."""
    shipped = [json.loads(line) for line in (EVALS_FOLDER / "demo.jsonl").read_text(encoding="utf-8").splitlines()]
    plain = [item for item in shipped if len(item["turns"]) == 1 and "replies" not in item["turns"][0] and "pages_lost" not in item]
    lines = [json.dumps(plain[n % len(plain)] | {"id": f"case-{n:05}"}, ensure_ascii=False) for n in range(count)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
