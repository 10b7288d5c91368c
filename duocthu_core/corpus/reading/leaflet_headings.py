"""Where a package leaflet's headings stand: its text comes without any markup, often with its lines run together (spec 07).

In capitals, with or without a number, a heading stands alone, over two lines, before a colon or at the end of a line that another text
was run into. In small letters it stands before a colon, and counts only where the document has no heading in capitals for that section.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from duocthu_core.corpus.reading.glyph_names import with_letters
from duocthu_core.corpus.reading.headings import Heading, HeadingTable, heading_table
from duocthu_core.corpus.reading.rules import reading_words
from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.numbers import numeric_tokens

_BEFORE_COLON = re.compile(r"(?P<head>[^:\n]{3,120}):[ \t]*(?P<rest>\S.*)")
_INSIDE_NUMBER = re.compile(r"(?<=\S)(?<![0-9.,])[0-9]{1,2}[.)][ \t]*(?=[^\W\d_])")
"""The number of a heading that another text was run into."""
_LONGEST, _LONGEST_RUN_IN = 90, 300
_MOST_CAPITALS = 0.6
_LEAST_LETTERS = 6
_SHAPE_SLIPS = 0.2
"""Part of a noisy heading's letters that may be others."""
_NO_LETTER = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\A[0-9]{1,2}[.,)]")
_LOOKS_LIKE = (("6", "o"), ("0", "o"), ("q", "o"), ("1", "i"), ("l", "i"), ("4", "a"), ("5", "s"), ("8", "b"), ("ii", "h"))
"""What a scan takes for what."""


class HeadingMarks:
    """Sets the headings of one leaflet's pages as such, so that they are read as in any other source.

    ``is_noisy``: letters were so often taken for others that headings are known by their shape, and every line set as one that is not
    known is marked too: what stands below it belongs to no section.
    """

    def __init__(self, drug_name: str, *, is_label: bool, is_noisy: bool) -> None:
        table = heading_table().naming(drug_name)
        self.table: HeadingTable = table
        """The headings that the leaflet may have."""
        self._is_label = is_label
        self._is_noisy = is_noisy
        self._shapes = {_shape(name): keys for name, keys in table.exact.items()} if is_noisy else {}

    def marked(self, pages: Sequence[str]) -> list[str]:
        """``pages`` with a Markdown heading for every heading."""
        first = [self._in_capitals(page.split("\n")) for page in pages]
        opened = {key for lines in first for _, heading in lines if heading is not None for key in heading.keys}
        return ["\n".join(self._before_colons(lines, opened)) for lines in first]

    def _in_capitals(self, lines: Sequence[str]) -> list[tuple[str, Heading | None]]:
        """Each line, and the heading that it is; a line that only begins or ends with one is parted."""
        found: list[tuple[str, Heading | None]] = []
        index = 0
        while index < len(lines):
            line, following = lines[index].strip(), lines[index + 1].strip() if index + 1 < len(lines) else ""
            index += 1
            head, rest = self._capital_head(line)
            more, behind = self._capital_head(following)
            if (heading := self._heading(line)) is not None:
                found.append((line, heading))
            elif rest and (heading := self._heading(head)) is not None:
                found += ((head, heading), (rest, None))
            elif not rest and more and self._capital(line) and (heading := self._heading(f"{line} {more}")) is not None:
                found += ((f"{line} {more}", heading), *([(behind, None)] if behind else []))
                index += 1
            elif (parted := self._before_colon(line)) is not None and self._capital(parted[0]):
                found += ((parted[0], parted[1]), (parted[2], None))
            elif (run_in := self._run_in(line)) is not None:
                found += ((run_in[0], None), (run_in[1], run_in[2]))
            elif self._is_noisy and self._capital(line):
                found.append((line, Heading((), line, certain=False)))
            else:
                found.append((lines[index - 1], None))
        return found

    def _before_colons(self, lines: Sequence[tuple[str, Heading | None]], opened: set[str]) -> list[str]:
        marked: list[str] = []
        for line, heading in lines:
            parted = self._before_colon(line.strip()) if heading is None else None
            if heading is not None:
                marked += ("", f"### {line}", "")
            elif parted is not None and self._opens(parted[1], opened):
                marked += ("", f"### {parted[0]}", "", parted[2])
            else:
                marked.append(line if line.strip() else "")
        return marked

    @staticmethod
    def _opens(heading: Heading, opened: set[str]) -> bool:
        """Whether a heading in small letters opens a section. Lines of names and codes ("Mã ATC: …") only interrupt the one around them."""
        keys = set(heading.keys)
        return heading.certain and not opened & keys and not keys & set(reading_words()["name_sections"])

    def _before_colon(self, line: str) -> tuple[str, Heading, str] | None:
        """A heading before a colon, and what stands behind it."""
        parts = _BEFORE_COLON.fullmatch(line)
        if parts is None or (heading := self._heading(parts["head"])) is None:
            return None
        return parts["head"], heading, parts["rest"]

    def _run_in(self, line: str) -> tuple[str, str, Heading] | None:
        """What stands before a numbered heading at the end of a line, and the heading. Its number stays with the word it was run into."""
        for number in _INSIDE_NUMBER.finditer(line) if len(line) <= _LONGEST_RUN_IN else ():
            head = line[number.start() :]
            if not self._capital(head) or (heading := self._heading(head)) is None:
                continue
            is_figure = _figures(line) == _figures(line[: number.start()], head)
            cut = number.start() if is_figure else number.end()
            return line[:cut], line[cut:], heading
        return None

    def _capital_head(self, line: str) -> tuple[str, str]:
        """The words in capitals that a line begins with, and the text that was run into them ("VẬN HÀNH MÁY MÓC" and "Chưa có …")."""
        if self._capital(line):
            return line, ""
        small = next((index for index, letter in enumerate(line[: _LONGEST + 1]) if letter.islower()), 0)
        cut = small - 1
        if cut < _LEAST_LETTERS or not line[cut].isupper() or not line[cut - 1].isupper():
            return "", line
        return line[:cut], line[cut:]

    def _heading(self, line: str) -> Heading | None:
        text, capital = with_letters(line), self._capital(line)
        heading = self.table.whole(text, None, marked=capital or (self._is_label and text[:1].isupper()))
        return heading if heading is not None or not (self._is_noisy and capital) else self._by_shape(text)

    def _by_shape(self, text: str) -> Heading | None:
        """The one heading whose letters a scan may have taken for these; from here on the document's table knows it."""
        shape = _shape(_NUMBER.sub("", text))
        slips = int(_SHAPE_SLIPS * len(shape))
        far = {known: Levenshtein.distance(shape, known, score_cutoff=slips) for known in self._shapes}
        least = min(far.values(), default=slips + 1)
        near = {self._shapes[known] for known, distance in far.items() if distance == least}
        if least > slips or len(near) != 1:
            return None
        self.table = self.table.with_slip(text, keys := near.pop())
        return Heading(keys, text, certain=False)

    def _capital(self, line: str) -> bool:
        """Whether a line is set in capitals; of a noisy scan most of its letters."""
        text = with_letters(line)
        if not self._is_noisy:
            return text.isupper()
        letters = [letter for letter in text if letter.isalpha()]
        return len(letters) >= _LEAST_LETTERS and len(text) <= _LONGEST and sum(map(str.isupper, letters)) > _MOST_CAPITALS * len(letters)


def _figures(*texts: str) -> Counter[str]:
    return Counter(token.text for text in texts for token in numeric_tokens(text))


def _shape(text: str) -> str:
    """``text`` as a scan may have seen it: letters alone, those that look alike as one."""
    shape = _NO_LETTER.sub("", strip_marks(fold(text)))
    for taken, meant in _LOOKS_LIKE:
        shape = shape.replace(taken, meant)
    return shape
