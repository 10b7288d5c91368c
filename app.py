"""The ASGI entry (spec 01): ``streamlit run app.py`` or ``uvicorn app:app`` serve the whole product."""

from pathlib import Path

import streamlit as st

from pages.frame.opening import opened

app = st.App(Path(__file__).parent / "pages" / "_shell.py", lifespan=opened)
