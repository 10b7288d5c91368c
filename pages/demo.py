"""Trình diễn · Demonstration (spec 06, page 9): six prepared conversations, run live, in large type and plain words."""

from __future__ import annotations

import re

import streamlit as st

from duocthu_core.pipeline.demonstrating import Played, load_scenes, missing_drugs
from duocthu_core.pipeline.running import TurnCancelled
from pages.components.demo_scene.demo_scene import Step, always_said, demo_scene, said
from pages.frame import formats
from pages.frame.access import require
from pages.frame.head import page_head
from pages.frame.polling import polled
from pages.frame.running_demo import RunningDemo
from pages.frame.services import services
from pages.frame.words import _

_PLAYED, _RUNNING = "demo_played", "demo_running"
_SHORT_S = 1.5
"""The offline model ends a scene within this time: it is shown at once."""
_STEP = re.compile(r"[0-9]{1,2}")

require("viewer")
app = services()
scenes = load_scenes()


def step_here() -> int:
    """The step of the address; the first one for an address that nothing wrote."""
    given = st.query_params.get("step", "")
    number = int(given) if _STEP.fullmatch(given) else 1
    return number if 1 <= number <= len(scenes) else 1


def go_to(number: int) -> None:
    """Another step, in the address."""
    st.query_params["step"] = str(number)


def play_again() -> None:
    """The scene at hand once more, live."""
    st.session_state.get(_PLAYED, {}).pop(key, None)


def played_scene() -> Played | Exception | None:
    """What this step showed, or what went wrong; None while it runs."""
    kept = st.session_state.setdefault(_PLAYED, {})
    running: tuple[tuple[str, ...], RunningDemo] | None = st.session_state.get(_RUNNING)
    if running is not None and running[0] != key:
        running[1].stop()
        running = None
    if key in kept:
        return kept[key]
    if running is None:
        running = st.session_state[_RUNNING] = (key, RunningDemo(step.scene, app.pipeline))
        running[1].start()
    if not running[1].wait(_SHORT_S):
        return None
    del st.session_state[_RUNNING]
    if running[1].played is not None:
        for trace in running[1].played.turns:
            app.metrics.observe_turn(trace)  # what its calls used was used
    kept[key] = running[1].played or running[1].error
    return kept[key]


@polled
def draw_running() -> None:
    """How long the scene has been running; when it has ended the whole page is drawn again."""
    held = st.session_state.get(_RUNNING)
    if held is None or held[1].ended:
        st.rerun()
    running: RunningDemo = held[1]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(_("demo.running", time=formats.whole_seconds(running.elapsed_ms), n=running.stages), width="content")
        label = _("live.stopping") if running.stopping else _("live.stop")
        st.button(label, icon=":material/stop_circle:", key="stop_demo", on_click=running.stop, disabled=running.stopping)


step = Step(step_here(), scenes)
key = (step.scene.scene_id, app.corpus.corpus_id, app.ruleset.ruleset_id)
missing = missing_drugs(step.scene, app.pipeline)
played = None if missing else played_scene()
with page_head(app, _("demo.title"), []):
    if isinstance(played, Played):
        st.button(_("demo.again"), icon=":material/replay:", key="demo_again", on_click=play_again, type="tertiary")
shown = played if isinstance(played, Played) else None
demo_scene(step, shown, app.ruleset, always_said(app.corpus, app.ruleset), key="demo_scene", on_step=go_to)
if missing:
    drug = said(step.scene.drug) if step.scene.drug else ", ".join(missing)
    st.info(_("demo.missing_drug", drug=drug), icon=":material/menu_book:")
elif isinstance(played, TurnCancelled):
    st.info(_("demo.stopped"), icon=":material/stop_circle:")
    st.button(_("demo.again"), icon=":material/replay:", key="demo_retry", on_click=play_again)
elif isinstance(played, Exception):
    st.error(_("demo.failed"), icon=":material/error:")
    st.button(_("demo.again"), icon=":material/replay:", key="demo_retry", on_click=play_again)
elif played is None:
    draw_running()
