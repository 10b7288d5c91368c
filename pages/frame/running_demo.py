"""A prepared conversation at work beside the page; nothing of it is stored."""

from __future__ import annotations

from duocthu_core.pipeline.demonstrating import Played, Scene, play
from duocthu_core.pipeline.running import Pipeline, TurnCancelled
from duocthu_core.pipeline.trace import StageRecord
from pages.frame.background import Background


class RunningDemo(Background[Played]):
    """One scene on its way, and at the end what was played. It is stopped before its next stage."""

    def __init__(self, scene: Scene, pipeline: Pipeline) -> None:
        super().__init__("demo", (TurnCancelled,))
        self.scene = scene
        self.stages = 0
        """Stages that have ended so far, over all its turns."""
        self._pipeline = pipeline

    @property
    def played(self) -> Played | None:
        """What was played, once the scene has ended well."""
        return self.result

    def work(self) -> Played:
        """Plays the scene."""
        return play(self.scene, self._pipeline, on_stage=self._stage_ended, should_stop=self.stop_asked)

    def _stage_ended(self, _record: StageRecord) -> None:
        self.stages += 1
