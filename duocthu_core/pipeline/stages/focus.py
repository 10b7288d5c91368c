"""Stage 3, focus: which drug, section and group the turn is about, and what was carried over (spec 02)."""

from __future__ import annotations

from duocthu_core.pipeline.outputs import FocusField, FocusOutput
from duocthu_core.pipeline.tools import Tools
from duocthu_core.pipeline.turn import StageResult, Turn, ran
from duocthu_core.understanding.resolution import resolve


def run(turn: Turn, tools: Tools) -> StageResult:
    """Fills what the question left blank from the focus while it is fresh; no model takes part."""
    resolution = resolve(turn.question, turn.state, tools.ruleset, {key: m.name for key, m in tools.corpus.monographs.items()})
    turn.focus, turn.resolved = resolution.focus, resolution.resolved
    turn.drug_names = {drug: tools.corpus.name_of(drug) for drug in turn.resolved.drug_ids}
    output = FocusOutput(
        before=turn.state.focus,
        after=turn.focus,
        resolved=turn.resolved,
        fields=tuple(FocusField.model_validate(found, from_attributes=True) for found in resolution.fields),
        drug_names=turn.drug_names,
    )
    return ran(output, "inherited" if turn.resolved.inherited else "explicit", fields=", ".join(turn.resolved.inherited))
