"""What a generator is told (spec 03, "Generation"). The words are the ruleset's; this module only puts them together, the same for
every provider.

Everything that comes from outside the ruleset goes through the fence, and placeholders are filled in one pass: a question that
reads "{evidence}" stays a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from duocthu_core.answering.claims import DRAFT_SCHEMA
from duocthu_core.answering.fence import FENCE_CLOSE, FENCE_OPEN, fenced
from duocthu_core.answering.model import Plan
from duocthu_core.answering.templates import filled
from duocthu_core.language_models.port import ModelRequest
from duocthu_core.retrieval.model import Evidence
from duocthu_core.rulesets.model import Prompts, Ruleset
from duocthu_core.rulesets.problems import Problem, ProblemCode
from duocthu_core.text.folding import collapse_spaces
from duocthu_core.understanding.model import Question, ResolvedQuestion, patient_values


def answer_request(  # noqa: PLR0917 - everything the generator may know, in the order in which a turn finds it
    question: Question,
    resolved: ResolvedQuestion,
    evidence: Sequence[Evidence],
    plan: Plan,
    summary: str,
    ruleset: Ruleset,
    repair_missing: Sequence[str] = (),
    class_words: Sequence[str] = (),
    allergy_words: Sequence[str] = (),
) -> ModelRequest:
    """The request for a draft. Quarantined blocks are never part of it; the numbers of the others stay what they are.

    ``class_words``: how an interaction section names the class of a drug of the question, where it does not name the drug itself.
    ``allergy_words``: words by which lines about a named allergy are known.

    ``repair_missing`` names what the draft before left out: then the same request says so at its end (spec 04, check 3).
    """
    shown = [block for block in evidence if not block.quarantined]
    prompts = ruleset.prompts
    user = filled(
        prompts.answer_user,
        evidence=evidence_text(shown),
        summary=fenced(summary).strip() or "–",
        plan=_plan_text(resolved, shown, plan, ruleset, class_words),
        question=fenced(question.text),
    )
    if repair_missing:
        missing = "; ".join(f"“{collapse_spaces(fenced(quote))}”" for quote in repair_missing)
        user += "\n\n" + filled(prompts.repair, missing=missing)
    return ModelRequest(
        purpose="answer",
        system=_system(plan, prompts),
        user=user,
        json_schema=DRAFT_SCHEMA,
        max_output_tokens=ruleset.generation.max_output_tokens,
        payload=_payload(question, resolved, shown, plan)
        | {"repair_missing": list(repair_missing), "class_words": list(class_words), "allergy_words": list(allergy_words)},
    )


def evidence_text(evidence: Iterable[Evidence]) -> str:
    """The blocks as a model reads them: a line with number and origin, then the text, indented so that no line of it can pass for
    another block's head. Number, names and page are no evidence."""
    return "\n\n".join(f"[{block.index}] ({_origin(block)})\n{indented(block.text)}" for block in evidence)


def indented(text: str) -> str:
    """``text`` fenced, each line moved in by two spaces."""
    return "\n".join(f"  {line}" for line in fenced(text).splitlines())


def one_line(text: str) -> str:
    """``text`` fenced, on one line."""
    return collapse_spaces(fenced(text))


def evidence_payload(evidence: Iterable[Evidence]) -> list[dict[str, Any]]:
    """The blocks in structured form for the payload: what the offline model reads."""
    fields = {"index", "drug_id", "drug_name", "section_key", "section_title", "label", "kind", "text"}
    return [block.model_dump(mode="json", include=fields) for block in evidence]


def prompt_problems(prompts: Prompts) -> tuple[Problem, ...]:
    """What is wrong with edited prompts, for whoever edits them; empty when all hold together."""
    problems = [*_empty_prompts(prompts)]
    wanted = {
        "answer_system": ("rules",),
        "answer_user": ("evidence", "summary", "plan", "question"),
        "answer_list_mode": ("drug_ids",),
        "repair": ("missing",),
        "judge_user": ("claims",),
        "completeness_user": ("evidence", "claims", "question"),
        "sufficiency_user": ("evidence", "question"),
    }
    for name, marks in wanted.items():
        template: str = getattr(prompts, name)
        missing = [f"{{{mark}}}" for mark in marks if f"{{{mark}}}" not in template]
        problems += [_problem("mark_missing", name, f"the mark {mark} is missing", mark=mark) for mark in missing]
    for name in ("answer_user", "completeness_user", "sufficiency_user"):
        template = getattr(prompts, name)
        places = [template.find(part) for part in ("{evidence}", FENCE_OPEN, "{question}", FENCE_CLOSE)]
        if -1 not in places and places != sorted(places):
            detail = f"the question must stand between {FENCE_OPEN} and {FENCE_CLOSE}, after the evidence"
            problems.append(_problem("fence_order", name, detail, open=FENCE_OPEN, close=FENCE_CLOSE))
        if -1 in places and "{question}" in template:
            detail = f"the question must be fenced by {FENCE_OPEN} and {FENCE_CLOSE}"
            problems.append(_problem("not_fenced", name, detail, open=FENCE_OPEN, close=FENCE_CLOSE))
    if not all(marker in prompts.untrusted for marker in (FENCE_OPEN, FENCE_CLOSE)):
        problems.append(_problem("fence_unnamed", "untrusted", "both markers must be named", open=FENCE_OPEN, close=FENCE_CLOSE))
    return tuple(problems)


def _empty_prompts(prompts: Prompts) -> Iterator[Problem]:
    for name in type(prompts).model_fields:
        value: str | tuple[str, ...] = getattr(prompts, name)
        texts = {name: value} if isinstance(value, str) else {f"{name}.{number}": text for number, text in enumerate(value, 1)}
        for place, text in texts.items():
            if not text.strip():
                yield _problem("empty_text", place, "the text is empty; a model would be told nothing here")


def _problem(code: ProblemCode, name: str, detail: str, **values: str) -> Problem:
    return Problem(code=code, place=f"prompts.{name}", detail=detail, values=values)


def _system(plan: Plan, prompts: Prompts) -> str:
    """The system prompt: rules, then what this turn forbids, then the untrusted rule at its very end."""
    rules = "\n".join(f"{number}. {rule}" for number, rule in enumerate(prompts.answer_rules, start=1))
    parts = [filled(prompts.answer_system, rules=rules)]
    if plan.suppress_numbers:
        parts.append(prompts.answer_no_figures)
    if plan.reasoning_mode == "candidate_list":
        parts.append(filled(prompts.answer_list_mode, drug_ids=", ".join(map(one_line, plan.allowed_drug_ids))))
    return "\n\n".join([*parts, prompts.untrusted])


def _origin(block: Evidence) -> str:
    pages = [str(page) for page in dict.fromkeys((block.page_start, block.page_end)) if page is not None]
    parts = [("drug_id", block.drug_id), ("thuốc", block.drug_name), ("mục", block.section_title), ("trang", " - ".join(pages))]
    return "; ".join(f"{name}={one_line(value)}" for name, value in parts if value)


def _plan_text(resolved: ResolvedQuestion, evidence: Sequence[Evidence], plan: Plan, ruleset: Ruleset, class_words: Sequence[str]) -> str:
    words = ruleset.tables["answering"]["plan_words"]
    lines = [words["reasoning_mode"][plan.reasoning_mode], words["layout"][plan.layout], words["verbosity"][plan.verbosity]]
    if resolved.intent == "survey":
        lines.append(words["survey"])
    understood = _understood(resolved, evidence, ruleset, words["names"])
    if understood:
        lines.append(filled(words["understood"], items=understood))
    if class_words:
        lines.append(filled(words["class_words"], words=", ".join(f"“{one_line(word)}”" for word in class_words)))
    return "\n".join(f"- {line}" for line in lines)


def _understood(resolved: ResolvedQuestion, evidence: Sequence[Evidence], ruleset: Ruleset, names: Mapping[str, str]) -> str:
    """The question as the rules resolved it, so that "còn trẻ em thì sao?" can be answered without guessing."""
    tables = ruleset.tables
    drugs = {block.drug_id: block.drug_name for block in evidence if block.drug_id}
    section = tables["sections"]["sections"].get(resolved.section_key or "", {}).get("label_vi")
    population = tables["populations"]["tags"].get(resolved.population or "", {}).get("label_vi")
    route = tables["routes"]["routes"].get(resolved.route or "", {}).get("label_vi")
    values = [
        ("drug", ", ".join(drugs.get(drug_id) or drug_id for drug_id in resolved.drug_ids)),
        ("section", section or resolved.section_key),
        ("population", population or resolved.population),
        ("route", route or resolved.route),
        ("age", resolved.stated.age),
        ("weight", resolved.stated.weight),
    ]
    return "; ".join(f"{names[key]} = {one_line(value)}" for key, value in values if value)


def _payload(
    question: Question,
    resolved: ResolvedQuestion,
    evidence: Sequence[Evidence],
    plan: Plan,
) -> dict[str, Any]:
    return {
        "question": question.text,
        "mentions": [mention.model_dump(mode="json") for mention in question.mentions],
        "stated": [stated.model_dump(mode="json") for stated in patient_values(question, resolved)],
        "condition": question.condition,
        "resolved": resolved.model_dump(mode="json"),
        "plan": plan.model_dump(mode="json"),
        "survey": resolved.intent == "survey",
        "allowed_drug_ids": list(plan.allowed_drug_ids),
        "evidence": evidence_payload(evidence),
    }
