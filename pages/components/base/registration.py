"""How a folder of three files becomes a component: shared style and drawing functions first, then its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from streamlit.components import v2

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

_BASE = Path(__file__).parent


def component(folder: Path) -> ComponentRenderer:
    """Registers the component that stands in ``folder`` (``name/name.html|css|js``) and returns what mounts it.

    The files are read once, at import. They are our own; whatever comes from people, models or the book reaches the component as
    ``data`` and is drawn with ``textContent``.
    """
    name = folder.name

    def text(ending: str) -> str:
        return (folder / f"{name}.{ending}").read_text(encoding="utf-8")

    def shared(ending: str) -> str:
        return (_BASE / f"base.{ending}").read_text(encoding="utf-8")

    return v2.component(
        f"duocthu_{name}",
        html=text("html"),
        css=shared("css") + "\n" + text("css"),
        js=shared("js") + "\n" + text("js"),
    )
