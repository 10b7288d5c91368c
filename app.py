"""The ASGI entry (spec 01): ``streamlit run app.py`` or ``uvicorn app:app`` serve the whole product."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from duocthu_core.service.gate import Gate
from duocthu_core.service.mounting import contract_routes
from pages.frame.access import sign_in_is_configured
from pages.frame.gate import may_have_files
from pages.frame.opening import check_settings, opened, services_once_opened
from pages.frame.trouble import tell

check_settings()
PAGES = Path(__file__).parent / "pages"
app = st.App(
    PAGES / "_shell.py",
    lifespan=opened,
    routes=contract_routes(services_once_opened, sign_in_is_configured),
    middleware=[Middleware(Gate, may_have_files=may_have_files)],
    on_script_error=tell,
)
