"""Personal data that is a number or an address of the net: telephone, identity and insurance numbers, records, e-mail, birth dates,
accounts. Shapes and labels stand in ``safety.pii``; every pattern has bounded repeats, so that a long text costs linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from duocthu_core.text.folding import fold, strip_marks
from duocthu_core.text.spans import Span

_AFTER_LABEL = r"(?:\s{0,3}(?:so|la|cua (?:em|toi|minh|chau|be)|no\.?|:|\.|#|-|=|–)){0,3}\s{0,3}"
_PHONE = re.compile(
    r"(?<![\d.,/-])(?:"
    r"(?:\+84|0084|84)[ .-]?(?:\(0\)|0)?[ .-]?[235789]\d(?:[ .-]?\d){7}"  # +84 and nine digits
    r"|0[35789]\d?(?:[ .-]?\d){7,8}"  # mobile, ten digits
    r"|\(?02\d{1,2}\)?[ .-]?\d{3,4}[ .-]?\d{3,4}"  # landline, eleven digits
    r")(?![\d]|[.,]\d)"
)
_EMAIL = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}\s?(?:@|\(at\)|\[at\]|\ba cong\b)\s?(?:[\w-]{1,40}\s?(?:\.|\bcham\b)\s?){1,4}[a-z]{2,12}(?![\w-])"
)
_CCCD_BARE = re.compile(r"(?<![\d.,/-])0\d{2}(?:\d{9}|[ .-]\d{3}[ .-]\d{6}|[ .-]\d{9}|\d[ .-]\d{4}[ .-]\d{4})(?![\d]|[.,]\d)")
_CCCD_LABELLED = r"(?:\d[ .-]?){11}\d(?!\d)|(?:\d[ .-]?){8}\d(?!\d)"
_BHYT_CARD = re.compile(r"(?<![^\W_])[a-z]{2}[ -]?[1-5][ -]?\d{2}[ -]?(?:\d{10}|\d{3}[ -]\d{3}[ -]\d{4}|\d{2}[ -]\d{3}[ -]\d{5})(?!\d)")
_BHYT_LABELLED = r"(?:[a-z]{2}[ -]?[1-5][ -]?\d{2}[ -]?\d{10}|(?:\d[ .-]?){9}\d)(?!\d)"
_RECORD_LABELLED = r"(?=[a-z0-9./-]{0,12}\d)[a-z0-9][a-z0-9./-]{2,20}"
_BIRTH_DATE = (
    r"(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|ngay \d{1,2}(?: thang |[/.-])\d{1,2}(?:(?: nam |[/.-])\d{2,4})?|"
    r"\d{1,2} thang \d{1,2} nam \d{4})(?!\d)"
)
_BIRTH_YEAR = r"(?:nam )?(?:19|20)\d{2}(?!\d|[.,]\d|\s{0,2}(?:ml|mg|g|gam|mcg)\b)"
_SHORT_YEAR_AFTER = ("sinh nam", "nam sinh")
_SHORT_YEAR = r"\d{2}(?!\d|[.,]\d|\s{0,2}(?:tuan|thang|tuoi|ngay|kg|ml|mg|g)\b)"
_ACCOUNT = r"\d(?:[ .-]?\d){5,15}(?!\d)"
_HANDLE = r"(?:@[\w.]{2,40}|(?=[\w.]{0,30}[\d._])[\w][\w.]{2,40})(?<![.])"
_PROVINCES_MAX = 96


def ascii_digits(text: str) -> str:
    """``text`` with digits of any script as 0 - 9, of the same length: a telephone number in full-width digits is one too."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


class NumberFinder:
    """Compiled once from ``safety.pii.kinds``."""

    def __init__(self, kinds: Mapping[str, Any]) -> None:
        self._cccd = _labelled(kinds["cccd"]["labels"], _CCCD_LABELLED)
        self._not_cccd = re.compile(rf"(?:{_alternatives(kinds['cccd']['not_labels'])}){_AFTER_LABEL}$")
        self._bhyt = _labelled(kinds["bhyt"]["labels"], _BHYT_LABELLED)
        self._record = _labelled(kinds["ma_benh_an"]["labels"], _RECORD_LABELLED)
        birth = kinds["ngay_sinh"]["labels"]
        short_year = [label for label in birth if strip_marks(fold(label)) in _SHORT_YEAR_AFTER]
        self._birth = [_labelled(birth, rf"{_BIRTH_DATE}|{_BIRTH_YEAR}"), _labelled(short_year, _SHORT_YEAR)]
        self._account = _labelled(kinds["ngan_hang"]["labels"], _ACCOUNT)
        social = kinds["mang_xa_hoi"]
        sites = "|".join(re.escape(site) for site in social["sites"])
        self._profile = re.compile(rf"(?<![\w.])(?:https?://)?(?:www\.)?(?:{sites})/[\w./?=&-]{{2,120}}")
        self._handle = _labelled(social["labels"], rf"{_PHONE.pattern}|{_HANDLE}")

    def find(self, text: str) -> dict[str, list[Span]]:
        """Places by kind; kinds may overlap, the caller decides by its order."""
        bare = ascii_digits(strip_marks(fold(text)))
        has_digit = any(sign.isdigit() for sign in bare)
        found: dict[str, list[Span]] = {
            "email": list(_spans(_EMAIL, bare)) if ("@" in bare or "at" in bare or "cong" in bare) else [],
            "mang_xa_hoi": [*_spans(self._profile, bare), *self._handles(bare)],
        }
        if has_digit:
            found |= {
                "ngan_hang": list(_groups(self._account, bare)),
                "bhyt": [*_groups(self._bhyt, bare), *_spans(_BHYT_CARD, bare)],
                "cccd": [*_groups(self._cccd, bare), *self._bare_cccd(bare)],
                "ma_benh_an": list(_groups(self._record, bare)),
                "ngay_sinh": [span for pattern in self._birth for span in _groups(pattern, bare)],
                "dien_thoai": list(_phones(bare)),
            }
        return found

    def _handles(self, bare: str) -> Iterator[Span]:
        return _groups(self._handle, bare)

    def _bare_cccd(self, bare: str) -> Iterator[Span]:
        for span in _spans(_CCCD_BARE, bare):
            digits = _digits(span.of(bare))
            before = bare[max(0, span.start - 40) : span.start]
            if 1 <= int(digits[:3]) <= _PROVINCES_MAX and not self._not_cccd.search(before):
                yield span


def _phones(bare: str) -> Iterator[Span]:
    for span in _spans(_PHONE, bare):
        groups = re.split(r"[ .()-]+", span.of(bare).strip("() "))
        digits = _digits(span.of(bare))
        national = digits.removeprefix("00").removeprefix("84") if not digits.startswith("0") or digits.startswith("00") else digits[1:]
        national = national.removeprefix("0")
        wanted = (10,) if national.startswith("2") else (9,)
        if len(national) in wanted and all(len(group) > 1 or group == "0" for group in groups if group and group != "+84"):
            yield span


def _digits(text: str) -> str:
    return "".join(sign for sign in text if sign.isdigit())


def _alternatives(labels: Iterable[str]) -> str:
    bare = sorted({strip_marks(fold(str(label))) for label in labels}, key=len, reverse=True)
    return "|".join(re.escape(label).replace(r"\ ", r"\s{1,3}") for label in bare)


def _labelled(labels: Iterable[str], value: str) -> re.Pattern[str]:
    """A label, at most a few linking words, then the value as group 1."""
    return re.compile(rf"(?<![^\W_])(?:{_alternatives(labels)}){_AFTER_LABEL}({value})")


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (Span(match.start(1), match.end(1)) for match in pattern.finditer(text))


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    return (Span(match.start(), match.end()) for match in pattern.finditer(text))
