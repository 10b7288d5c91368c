"""Starting the product with the server: what is wrong stops the start with one line, and the first reader does not wait."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NoReturn

import anyio.to_thread
import streamlit as st

from duocthu_core.bootstrap import Services
from duocthu_core.corpus.collection import CorpusError
from duocthu_core.rulesets.loading import RulesetError
from duocthu_core.settings import SettingsError, load_settings
from duocthu_core.storage.errors import StorageUnavailable


def check_settings() -> None:
    """Ends the process with one line that names the variable, where a setting is wrong (spec 01, "Settings")."""
    try:
        load_settings()
    except SettingsError as error:
        _end(error)


def _begin() -> None:
    """Builds the services and goes on with what an ended process left of its jobs (on SQLite; elsewhere workers do)."""
    from pages.frame.services import services  # noqa: PLC0415 - a cached function may only be made once the runtime is up

    services().jobs.resume()


@asynccontextmanager
async def opened(_app: st.App) -> AsyncIterator[dict[str, Any] | None]:
    """Builds the services before the first request; a corpus, ruleset or database that cannot be used ends the start."""
    try:
        await anyio.to_thread.run_sync(_begin)
    except (CorpusError, RulesetError, StorageUnavailable) as error:
        _end(error)
    yield None


def services_once_opened() -> Services:
    """The services of this process, for what is served beside the pages; the lifespan has built them."""
    from pages.frame.services import services  # noqa: PLC0415 - as above

    return services()


def _end(error: Exception) -> NoReturn:
    print(error, file=sys.stderr, flush=True)
    raise SystemExit(2) from None
