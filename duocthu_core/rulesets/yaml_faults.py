"""What is wrong with a text that is no YAML, as a problem that says what to do: the parser's own words help nobody who tunes rules."""

from __future__ import annotations

import re

import yaml

from duocthu_core.rulesets.problems import Problem, ProblemCode

_SAID: dict[str, ProblemCode] = {
    "found a tab character that violates indentation": "tab",
    "did not find expected key": "indentation",
    "did not find expected '-' indicator": "indentation",
    "block sequence entries are not allowed in this context": "indentation",
    "did not find expected <document start>": "indentation",
    "mapping values are not allowed in this context": "colon",
    "could not find expected ':'": "no_colon",
    "found unknown escape character": "escape",
    "did not find expected hexdecimal number": "escape",
    "found character that cannot start any token": "first_sign",
    "but found another document": "several_documents",
    "found undefined alias": "alias",
    "found duplicate anchor": "alias",
    "exceeded maximum nesting depth": "too_deep",
    "found unhashable key": "bad_value",
    "did not find expected ',' or ']'": "unclosed",
    "did not find expected ',' or '}'": "unclosed",
    "did not find expected node content": "unclosed",
    "found unexpected end of stream": "unclosed",
}
"""What libyaml says -> what it means."""
_COLON = re.compile(r":(?=\s|\Z)")
_DETAILS: dict[ProblemCode, str] = {
    "tab": "a tab stands at the beginning of the line; write spaces, as many as in the lines of the same level",
    "indentation": "the line does not begin where its neighbours do; move it under the lines of its level, or close a quote above it",
    "colon": "a colon too many; put a text that holds a colon in quotes",
    "no_colon": "a colon is missing behind the key",
    "escape": "no such escape behind the backslash; write the text in single quotes",
    "first_sign": "a text may not begin with this sign; put it in quotes",
    "several_documents": "a second document begins here; keep one",
    "alias": "anchors and references (&, *) are not read; write the value out",
    "too_deep": "too many levels inside each other",
}


def problem_of(error: yaml.MarkedYAMLError, text: str) -> Problem:
    """The fault that a parser found in ``text``."""
    mark = error.problem_mark or error.context_mark
    line = mark.line + 1 if mark is not None else None
    said = error.problem or error.context or "it breaks off"
    code: ProblemCode = _SAID.get(said, "no_yaml")
    if code == "colon" and mark is not None:
        code, line = _colon_fault(text.split("\n"), mark.line)
    if code == "indentation" and mark is not None and (opened := _quote_ending_at(text, mark.line)) is not None:
        return _unclosed(opened)
    if code == "first_sign" and mark is not None and _sign_at(text, mark) == "\t":
        code = "tab"
    if code == "unclosed":
        opened = error.context_mark.line + 1 if error.context_mark is not None else line
        return _unclosed(_open_bracket(text) or opened)
    values = {"sign": _sign_at(text, mark)} if code == "first_sign" and mark is not None else {}
    return Problem(code=code, place="", line=line, detail=f"no valid YAML: {_DETAILS.get(code, said)}", values=values)


def problem_of_character(error: yaml.reader.ReaderError, text: str) -> Problem:
    """A character that no YAML may hold."""
    line = text.encode("utf-8", "surrogatepass")[: error.position].count(b"\n") + 1  # libyaml counts bytes
    name = f"U+{ord(error.character) if isinstance(error.character, str) else error.character:04X}"
    return Problem(
        code="bad_character",
        place="",
        line=line,
        detail=f"no valid YAML: the character {name} cannot stand in a text",
        values={"sign": name},
    )


def _unclosed(opened: int | None) -> Problem:
    detail = f"no valid YAML: a bracket or quote that opens in line {opened} is not closed where it should be"
    return Problem(code="unclosed", place="", line=opened, detail=detail, values={"line": str(opened)})


def _quote_ending_at(text: str, number: int) -> int | None:
    """The line (from 1) in which a quoted text opens that ends only in line ``number`` (from 0): one whose own end was forgotten takes
    the next quote for it."""
    opened: int | None = None
    try:
        for token in yaml.scan(text, Loader=yaml.CSafeLoader):
            quoted = isinstance(token, yaml.ScalarToken) and token.style in ("'", '"')
            if quoted and token.start_mark.line < number == token.end_mark.line:
                opened = token.start_mark.line + 1
    except yaml.YAMLError:
        pass  # the fault that is being explained
    return opened


def _open_bracket(text: str) -> int | None:
    """The line (from 1) of the last bracket that opens and is never closed."""
    opened: list[int] = []
    try:
        for token in yaml.scan(text, Loader=yaml.CSafeLoader):
            if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                opened.append(token.start_mark.line + 1)
            elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken) and opened:
                opened.pop()
    except yaml.YAMLError:
        pass  # the fault that is being explained
    return opened[-1] if opened else None


def _colon_fault(lines: list[str], number: int) -> tuple[ProblemCode, int]:
    """A colon where none may stand, and the line to look at: one line has two of them, the line above has none, or the line is moved in."""
    if len(_COLON.findall(lines[number].strip())) > 1:
        return "colon", number + 1
    above = next((place for place in range(number - 1, -1, -1) if lines[place].strip()), None)
    if above is not None and not _COLON.search(lines[above]) and not lines[above].lstrip().startswith(("-", "#", "'", '"')):
        return "no_colon", above + 1
    return "indentation", number + 1


def _sign_at(text: str, mark: yaml.Mark) -> str:
    lines = text.split("\n")
    return lines[mark.line][mark.column : mark.column + 1] if mark.line < len(lines) else ""
