"""Starting the product with the server, so that a wrong setting stops the start and the first reader does not wait."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
import streamlit as st

from duocthu_core.settings import SettingsError


@asynccontextmanager
async def opened(_app: st.App) -> AsyncIterator[dict[str, Any] | None]:
    """Builds the services before the first request; a wrong setting ends the process with one line that names the variable."""
    from pages.frame.services import services  # noqa: PLC0415 - a cached function may only be made once the runtime is up

    try:
        await anyio.to_thread.run_sync(services)
    except SettingsError as error:
        print(error, file=sys.stderr)
        raise SystemExit(2) from None
    yield None
