"""What a reader is told when a page itself fails: what happened and what to do, never the error's own words."""

from __future__ import annotations

import logging

import streamlit as st

from duocthu_core.storage.errors import StorageUnavailable
from pages.frame.words import _

_log = logging.getLogger(__name__)


def tell(error: Exception) -> bool:
    """Shows the trouble below what the page has drawn so far; the server's log has the error. True: nothing more is to be shown."""
    _log.error("a page failed", exc_info=error)
    if isinstance(error, StorageUnavailable):
        st.error(_("trouble.storage"), title=_("trouble.storage_title"), icon=":material/database_off:")
    else:
        st.error(_("trouble.page"), title=_("trouble.page_title"), icon=":material/error:")
    return True
