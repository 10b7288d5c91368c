"""Two runs of one eval set as pairs of stored turns: what the Compare page lays side by side (spec 06, page 2)."""

from __future__ import annotations

from collections.abc import Sequence

from duocthu_core.evaluation.evaluating import Evaluating
from duocthu_core.evaluation.results import EvalRun, ItemResult
from duocthu_core.evaluation.running import identity_of
from duocthu_core.evaluation.sets import EvalSet


def finished_run(evaluating: Evaluating, evalset: EvalSet) -> EvalRun | None:
    """The newest finished run of this set by what answers in ``evaluating``."""
    key = identity_of(evalset, evaluating.pipeline).key
    runs = evaluating.store.runs(evalset.name)
    return next((run for run in runs if run.identity.key == key and run.status == "finished"), None)


def paired_turns(a: Sequence[ItemResult], b: Sequence[ItemResult]) -> list[tuple[str, str]]:
    """Trace ids of the turns that both runs have, item by item."""
    others = {item.item_id: item for item in b}
    return [
        (one.trace_id, other.trace_id)
        for item in a
        if item.item_id in others
        for one, other in zip(item.turns, others[item.item_id].turns, strict=False)
        if one.trace_id is not None and other.trace_id is not None
    ]
