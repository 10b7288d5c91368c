"""Whether edited rules can be used at all: their prompts hold together, their tables have their form, and turns run under them.

What is wrong is told at its line and nothing is saved (spec 01, "Rulesets"). Values inside their limits are the ruleset's own matter
(``rulesets.model``); here is what only the readers of the rules know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from duocthu_core.answering.messages import reader_message
from duocthu_core.answering.model import Claim
from duocthu_core.answering.prompts import prompt_problems
from duocthu_core.conversation.model import ConversationState
from duocthu_core.corpus.collection import Corpus
from duocthu_core.language_models.offline import OfflineModel
from duocthu_core.language_models.pricing import shipped_prices
from duocthu_core.pipeline.running import Pipeline
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.documents import RulesetDraft, table_text
from duocthu_core.rulesets.loading import shipped_ruleset
from duocthu_core.rulesets.located import Trail, located
from duocthu_core.rulesets.model import Ruleset
from duocthu_core.rulesets.problems import Problem, ProblemCode, RulesetProblems
from duocthu_core.rulesets.shapes import emptied, shape_problems
from duocthu_core.rulesets.value_faults import nearest
from duocthu_core.rulesets.yaml_text import YamlText
from duocthu_core.verification.guards import Guards

Path = tuple[str | int, ...]
LineOf = Callable[[Path], int | None]
"""Line of a place (``("tables", "units", "version")``) in the text that was edited."""


def check_ruleset(
    ruleset: Ruleset,
    corpus: Corpus,
    names: Sequence[Mapping[str, str]] = (),
    *,
    line_of: LineOf = lambda _path: None,
    source: str = "the edit",
) -> None:
    """Raises :class:`RulesetProblems` with everything that is wrong in ``ruleset``; a second or less on the demo corpus."""
    shipped = shipped_ruleset()
    problems = [
        problem.model_copy(update={"line": line_of(_path_of(problem.place))})
        for problem in (*prompt_problems(ruleset.prompts), *_unknown_names(ruleset, shipped))
    ]
    shapes = [*shape_problems(ruleset.tables, shipped.tables), *emptied(ruleset.tables, shipped.tables)]
    problems += [problem.model_copy(update={"line": line_of(("tables", *path))}) for path, problem in shapes]
    if not problems:
        problems = _trial_problems(ruleset, corpus, names, line_of)
    if problems:
        raise RulesetProblems(source, sorted(problems, key=lambda problem: problem.line or 0))


def lines_of_text(text: str, source: str) -> LineOf:
    """Lines of a whole document."""
    return YamlText(text, source).line_of


def lines_of_draft(draft: RulesetDraft, base: Ruleset) -> LineOf:
    """Lines of the tables of an edit, each counted in the table's own text; fields have none."""

    def line_of(path: Path) -> int | None:
        if len(path) < 2 or path[0] != "tables" or str(path[1]) not in base.tables:
            return None
        name = str(path[1])
        return YamlText(draft.tables.get(name) or table_text(base.tables[name]), name).line_of(path[2:])

    return line_of


def _unknown_names(ruleset: Ruleset, shipped: Ruleset) -> Iterator[Problem]:
    for name in ruleset.guards:
        if name not in shipped.guards:
            yield _unknown("unknown_guard", f"guards.{name}", name, shipped.guards, "no guard has this name")
    for name in ruleset.tables:
        if name not in shipped.tables:
            yield _unknown("unknown", f"tables.{name}", name, shipped.tables, "no table has this name")


def _unknown(code: ProblemCode, place: str, name: str, known: Iterable[str], detail: str) -> Problem:
    near = nearest(name, known)
    said = f"{detail}; did you mean {near!r}?" if near else detail
    return Problem(code=code, place=place, detail=said, values={"word": name} | ({"near": near} if near else {}))


def _path_of(place: str) -> Path:
    """``prompts.answer_rules.2`` as the steps of a document: what people count from one is counted from nought there."""
    return tuple(int(step) - 1 if step.isdigit() else step for step in place.split("."))


def _trial_problems(ruleset: Ruleset, corpus: Corpus, names: Sequence[Mapping[str, str]], line_of: LineOf) -> list[Problem]:
    """Runs turns under the rules; where they fail, once more with tables that know which place was read last."""
    failure = _failure_of(ruleset, corpus, names)
    if failure is None:
        return []
    trail = Trail()
    tables: dict[str, Any] = located(dict(ruleset.tables), (), trail)
    failure = _failure_of(ruleset.model_copy(update={"tables": tables}), corpus, names) or failure
    path = ("tables", *trail.last)
    detail = f"the rules cannot be run with this: {type(failure).__name__}: {' '.join(str(failure).split())[:160]}"
    values = {"error": type(failure).__name__}
    return [Problem(code="does_not_work", place=".".join(map(str, path)), line=line_of(path), detail=detail, values=values)]


def _failure_of(ruleset: Ruleset, corpus: Corpus, names: Sequence[Mapping[str, str]]) -> Exception | None:
    try:
        _trial(ruleset, corpus, names)
    except Exception as error:  # any error of any reader: that is what is looked for
        return error
    return None


def _trial(ruleset: Ruleset, corpus: Corpus, names: Sequence[Mapping[str, str]]) -> None:
    model = OfflineModel(ruleset)
    pipeline = Pipeline(corpus, ruleset, model, model, price=shipped_prices().cost, names=names, budget_s=30)
    state = ConversationState(conversation_id="trial")
    for question in _questions(corpus):
        state = pipeline.run(question, state).state
    block = Evidence(index=1, block_id="trial", drug_id=None, section_key=None, page_start=1, page_end=1, text=_BLOCK)
    guards = Guards(ruleset)
    for said in _CLAIMS:
        guards.check([Claim(text=said, citations=(1,))], [block])
    for reason in shipped_ruleset().tables["severity"]["reject_reasons"]:
        for language in ("vi", "en"):
            reader_message("abstained", reason, ruleset, language)


_BLOCK = "Người lớn: uống 0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày. Không dùng cho người suy gan nặng."
_CLAIMS = (
    "Người lớn uống 0,5 - 1 g/lần, tối đa 4 g/ngày.",
    "Trẻ em tiêm tĩnh mạch trên 4 mg/kg/ngày, an toàn nhất.",
    "Dùng được cho người suy gan nặng, rất thường gặp.",
)


def _questions(corpus: Corpus) -> list[str]:
    """Questions of each kind about the first drugs of the book, so that every table is read."""
    drugs = [monograph.name for monograph in list(corpus.monographs.values())[:2]]
    first, second = (drugs[0], drugs[-1]) if drugs else ("paracetamol", "cefazolin")
    return [
        f"Liều {first} uống cho người lớn là bao nhiêu?",
        "Còn trẻ em 5 tuổi nặng 18 kg thì sao?",
        f"{first} có tương tác với {second} không?",
        f"Chống chỉ định của {second} ở phụ nữ có thai, bệnh nhân Nguyễn Văn An 0912 345 678?",
        "Thuốc nào trị sốt?",
        "Cảm ơn nhé",
        f"Chó nhà tôi uống {first} được không?",
    ]
