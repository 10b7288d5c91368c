"""The frame around every page: name and icon, language, navigation. Only pages that exist and work are listed."""

from pathlib import Path

import streamlit as st

from pages.frame.head import frame_words
from pages.frame.services import services
from pages.frame.words import _, start_language

HERE = Path(__file__).parent

start_language(st.query_params.get("lang"), services().settings.language)
st.set_page_config(
    page_title=_("product.name"),
    page_icon=str(HERE / "static" / "icon.png"),  # a page's own icon would become a favicon fetched from a foreign host
    layout="wide",
    initial_sidebar_state="collapsed",
    menu_items={"About": _("product.about")},  # with an entry of its own the menu also offers the light and the dark theme
)
st.html(HERE / "frame" / "frame.css")
st.html(frame_words())

st.navigation(
    [
        st.Page(HERE / "live.py", title=_("live.title"), icon=":material/forum:", default=True),
        st.Page(HERE / "turn.py", title=_("turn_page.title"), icon=":material/receipt_long:", url_path="luot"),
        st.Page(HERE / "compare.py", title=_("compare.title"), icon=":material/compare_arrows:", url_path="so-sanh"),
        st.Page(HERE / "review.py", title=_("review.title"), icon=":material/rate_review:", url_path="duyet"),
        st.Page(HERE / "rules.py", title=_("rules.title"), icon=":material/rule:", url_path="quy-tac"),
        st.Page(HERE / "mutation.py", title=_("mutation.title"), icon=":material/science:", url_path="dot-bien"),
        st.Page(HERE / "corpus.py", title=_("corpus.title"), icon=":material/menu_book:", url_path="duoc-thu"),
        st.Page(HERE / "cache.py", title=_("cache_page.title"), icon=":material/inventory_2:", url_path="bo-nho-dem"),
        st.Page(HERE / "evaluation.py", title=_("evaluation.title"), icon=":material/monitoring:", url_path="danh-gia"),
        st.Page(HERE / "demo.py", title=_("demo.title"), icon=":material/co_present:", url_path="trinh-dien"),
        st.Page(HERE / "guide.py", title=_("guide.title"), icon=":material/help:", url_path="huong-dan"),
        st.Page(HERE / "admin.py", title=_("admin.title"), icon=":material/admin_panel_settings:", url_path="quan-tri"),
    ],
    position="top",
).run()
