"""A prepared conversation at work in a thread of its own, so that the page can show its stages and stop it. No Streamlit call is made in
that thread, and nothing of it is stored."""

from __future__ import annotations

import logging
import threading
import time

from duocthu_core.pipeline.demonstrating import Played, Scene, play
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace import StageRecord

_log = logging.getLogger(__name__)


class RunningDemo:
    """One scene on its way, and at the end what was played or what went wrong."""

    def __init__(self, scene: Scene, pipeline: Pipeline) -> None:
        self.scene = scene
        self.played: Played | None = None
        self.error: Exception | None = None
        self.stages = 0
        """Stages that have ended so far, over all its turns."""
        self._pipeline = pipeline
        self._stop = threading.Event()
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)

    def start(self) -> None:
        """Begins the scene."""
        self._thread.start()

    def stop(self) -> None:
        """Asks the scene to end before its next stage."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Waits at most ``seconds``; whether the scene has ended."""
        self._thread.join(seconds)
        return self.ended

    @property
    def ended(self) -> bool:
        """Whether there is something to show or an error."""
        return self.played is not None or self.error is not None

    @property
    def stopping(self) -> bool:
        """Whether the reader asked to stop and the scene has not ended yet."""
        return self._stop.is_set() and not self.ended

    @property
    def elapsed_ms(self) -> float:
        """How long it has been running, in milliseconds."""
        return (time.monotonic() - self._began) * 1000

    def _run(self) -> None:
        try:
            self.played = play(self.scene, self._pipeline, on_stage=self._stage_ended, should_stop=self._stop.is_set)
        except TurnCancelled as error:
            self.error = error
        except Exception as error:  # the reader is told, whatever it was; the server's log has the rest
            _log.exception("a scene of the demonstration failed")
            self.error = error

    def _stage_ended(self, _record: StageRecord) -> None:
        self.stages += 1
