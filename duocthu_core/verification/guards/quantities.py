"""The quantities of a text: numbers with their units, ranges as one thing, and bands of age, weight and clearance."""

from __future__ import annotations

from duocthu_core.verification.guards.lexicon import DOSE_KINDS, DOSE_SHARE, Hit, Lexicon
from duocthu_core.verification.guards.quantity import Quantity, Side
from duocthu_core.verification.guards.tokens import Tokens
from duocthu_core.verification.guards.units import read_parts, unit_at

_RANGE_WORDS = frozenset({"-", "÷", "đến", "tới"})
_HALVES = {"½": "1/2", "0,5": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_AGE_UNITS = frozenset({"nam", "thang", "tuan", "ngay"})


def read_quantities(tokens: Tokens, hits: dict[str, list[Hit]], lexicon: Lexicon) -> list[Quantity]:
    """The quantities of a text in order."""
    found: list[Quantity] = []
    parentheses = _parenthesis_depths(tokens.words)
    position = 0
    count = len(tokens.words)
    while position < count:
        quantity = _quantity_at(tokens, position, lexicon)
        if quantity is None:
            position += 1
            continue
        quantity.in_parenthesis = parentheses[quantity.start] > 0
        if quantity.low != "1,73":  # "/1,73 m2" is part of the unit before it
            found.append(quantity)
        if quantity.per_time is not None and (" " in quantity.per_time or tokens.words[quantity.end - 2] == "24"):
            found.append(_interval(quantity, tokens))
        position = max(quantity.end, position + 1)
    _share_units(found, tokens)
    _classify_bands(found, tokens, hits)
    return found


def _interval(quantity: Quantity, tokens: Tokens) -> Quantity:
    """ "250 - 500 mg/12 giờ" also states an interval of 12 giờ; "4 liều/24 giờ" is so many a day, in another writing."""
    day = " " not in (quantity.per_time or "")
    count, unit = (tokens.words[quantity.end - 2], "gio") if day else (quantity.per_time or "").split("/")[-1].split(" ")
    place = quantity.end - 2
    return Quantity(
        count,
        None,
        place,
        quantity.end,
        unit=unit,
        low_unit=unit,
        kind="time",
        number_end=place + 1,
        spaces_doses=quantity.kind in DOSE_KINDS,
        implied=day,
    )


def _parenthesis_depths(words: list[str]) -> list[int]:
    depths: list[int] = []
    depth = 0
    for word in words:
        if word in "([":
            depth += 1
        depths.append(depth)
        if word in ")]" and depth:
            depth -= 1
    return depths


def _number_at(tokens: Tokens, position: int, lexicon: Lexicon) -> tuple[str, int, bool] | None:
    """The figure at ``position``, the position behind it, and whether it was written in words."""
    number = tokens.numbers[position]
    if number is not None:
        if number.kind in ("number", "fraction", "power"):
            return _HALVES.get(number.text, number.text) if number.kind == "fraction" else number.text, position + 1, False
        return None
    for words, figure in lexicon.number_words.get(tokens.words[position], ()):
        behind = position + len(words)
        if tuple(tokens.words[position:behind]) == words:
            return figure, behind, True
    return None


def _quantity_at(tokens: Tokens, position: int, lexicon: Lexicon) -> Quantity | None:
    first = _number_at(tokens, position, lexicon)
    if first is None:
        return None
    low, behind, from_words = first
    unit = unit_at(tokens, behind, lexicon)
    if from_words and unit is None:
        return _word_range(tokens, position, low, behind, lexicon)
    if from_words and not _is_number_word(tokens, position, low, unit, lexicon):
        return None
    quantity = Quantity(low=low, high=None, start=position, end=behind, from_words=from_words, number_end=behind)
    if unit is not None:
        quantity.unit, quantity.end = unit
        read_parts(quantity, tokens, lexicon)
    second = None if from_words else _range_end(tokens, quantity)
    if second is not None:
        _extend_to_range(quantity, second, tokens, lexicon)
    if quantity.unit == "tuoi":
        quantity.unit, quantity.band = "nam", "age"
    elif quantity.unit in _AGE_UNITS and tokens.words[quantity.end : quantity.end + 1] == ["tuổi"]:
        quantity.band = "age"
        quantity.end += 1
    if quantity.low_unit == "tuoi":
        quantity.low_unit = "nam"
    if quantity.low_unit is None:
        quantity.low_unit = quantity.unit
    quantity.kind = lexicon.unit_kinds.get(quantity.unit or "", "")
    if quantity.kind == "percent" and tokens.words[quantity.end : quantity.end + 1] == ["liều"]:
        quantity.kind = DOSE_SHARE  # "giảm còn 50% liều" is a dose like any other
    if quantity.per_time is None and quantity.kind in DOSE_KINDS and _is_each_time(tokens, quantity.start):
        quantity.per_time = "lan"
    quantity.spaces_doses = quantity.kind == "time" and _has_spacing_word(tokens, quantity.start, lexicon)
    return quantity


def _word_range(tokens: Tokens, position: int, low: str, behind: int, lexicon: Lexicon) -> Quantity | None:
    """ "hai đến ba lần": a range in words is one figure, as it is in digits."""
    words = tokens.words
    if words[behind : behind + 1] not in (["đến"], ["tới"], ["-"]) or behind + 1 >= len(words):
        return None
    second = _number_at(tokens, behind + 1, lexicon)
    unit = unit_at(tokens, second[1], lexicon) if second is not None else None
    if second is None or unit is None or not second[2]:
        return None
    quantity = Quantity(low, second[0], position, unit[1], unit=unit[0], low_unit=unit[0], from_words=True, number_end=second[1])
    quantity.kind = lexicon.unit_kinds.get(unit[0], "")
    read_parts(quantity, tokens, lexicon)
    return quantity


_EACH_TIME_WITHIN = 5


def _is_each_time(tokens: Tokens, place: int) -> bool:
    """ "Mỗi lần uống 500 mg": the period said before the dose."""
    words = tokens.words
    for before in range(place - 1, max(0, place - _EACH_TIME_WITHIN), -1):
        if words[before] in ",;.:(" or tokens.numbers[before] is not None:
            return False
        if words[before - 1 : before + 1] == ["mỗi", "lần"]:
            return True
    return False


def _has_spacing_word(tokens: Tokens, place: int, lexicon: Lexicon) -> bool:
    while place and tokens.words[place - 1] in lexicon.spacing_fillers:
        place -= 1
    return place > 0 and tokens.words[place - 1] in lexicon.spacing_words


def _is_number_word(tokens: Tokens, position: int, figure: str, unit: tuple[str, int] | None, lexicon: Lexicon) -> bool:
    """Number words count before a unit only; "một" and "năm" mostly say something else."""
    if unit is None:
        return False
    word, kind = tokens.words[position], lexicon.unit_kinds.get(unit[0], "")
    if "/" in figure:
        return kind == "count_form"
    if word == "năm" and tokens.numbers[position - 1] is not None and position > 0:
        return False
    if figure == "1" and kind == "time":
        before = tokens.words[position - 1] if position else ""
        behind = tokens.words[unit[1] : unit[1] + 1]
        return behind in (["sau"], ["trước"]) or before in lexicon.duration_openers  # "một giờ sau khi truyền", "sau một tháng"
    if not figure.isdigit() and "/" not in figure:
        return kind == "time"  # "vài tuần"
    if figure == "1":
        return kind == "count_form" or (unit[0] == "lan" and _is_once_a_day(tokens, position))
    if unit[0] in ("lo", "vi", "cm", "mm"):
        return False
    return tokens.words[position - 1] != "thứ" if position else True


def _is_once_a_day(tokens: Tokens, position: int) -> bool:
    words = tokens.words
    after = words[position + 2 : position + 4]
    if after[:1] == ["/"] or after in (["mỗi", "ngày"], ["một", "ngày"], ["trong", "ngày"], ["hàng", "ngày"], ["hằng", "ngày"]):
        return True
    before = words[max(0, position - 2) : position]
    return "ngày" in before and not any(word.isdigit() for word in words[max(0, position - 3) : position])


def _range_end(tokens: Tokens, quantity: Quantity) -> tuple[str, int, Side | None] | None:
    words = tokens.words
    position = quantity.end
    if position + 1 >= len(words) or quantity.per_body or quantity.per_time:
        return None
    if words[position] == "cho" and words[position + 1] in ("tới", "đến"):
        position += 1
    if words[position] == ";" and words[quantity.start - 1 : quantity.start] == ["["] and words[position + 2 : position + 3] == ["]"]:
        return _plain_end(tokens, position + 1, None)
    if words[position] not in _RANGE_WORDS or position in tokens.line_starts:
        return None
    position += 1
    side: Side | None = None
    if words[position] in ("<", "dưới"):
        side, position = "lt", position + 1
    elif words[position] == "≤":
        side, position = "max", position + 1
    return _plain_end(tokens, position, side)


def _plain_end(tokens: Tokens, position: int, side: Side | None) -> tuple[str, int, Side | None] | None:
    if position >= len(tokens.words):
        return None
    number = tokens.numbers[position]
    if number is None or number.kind not in ("number", "fraction", "power"):
        return None
    return number.text, position + 1, side


def _extend_to_range(quantity: Quantity, second: tuple[str, int, Side | None], tokens: Tokens, lexicon: Lexicon) -> None:
    low_unit = quantity.unit
    quantity.high, quantity.end, quantity.high_bound = second
    quantity.number_end = quantity.end
    if tokens.words[quantity.end : quantity.end + 1] == ["]"]:
        quantity.end += 1
    unit = unit_at(tokens, quantity.end, lexicon)
    quantity.low_unit = low_unit
    if unit is not None:
        quantity.unit, quantity.end = unit
        read_parts(quantity, tokens, lexicon)


def _share_units(found: list[Quantity], tokens: Tokens) -> None:
    """ "3 hoặc 5%": both carry the per cent; "1, 2 hoặc 3 viên" likewise."""
    for left, right in zip(reversed(found[:-1]), reversed(found[1:]), strict=True):
        between = tokens.words[left.end : right.start]
        if (
            left.unit is None
            and right.unit is not None
            and between in (["hoặc"], ["hay"], ["và"], [","], ["hoặc", "là"])
            and not left.from_words
        ):
            left.unit = left.low_unit = right.unit
            left.per_body, left.per_time, left.band, left.kind = right.per_body, right.per_time, right.band, right.kind


def _goes_on_with_clearance(quantity: Quantity, cleared: int, tokens: Tokens) -> bool:
    """ "Clcr 61 - 80 ml/phút: 75%; 51 - 60 ml/phút: 70%": a second band on the line, without the name of what is measured."""
    if (quantity.unit, quantity.per_time) != ("ml", "phut") or tokens.words[quantity.end : quantity.end + 1] != [":"]:
        return False
    return not any(place in tokens.line_starts for place in range(cleared, quantity.start + 1))


def _classify_bands(found: list[Quantity], tokens: Tokens, hits: dict[str, list[Hit]]) -> None:
    words = tokens.words
    children = [hit for hit in hits.get("population", ()) if hit.value.startswith("tre_") or hit.value == "thieu_nien"]
    measured = hits.get("measured", ())
    clearances = [hit for hit in measured if words[hit.start] != "creatinin"]
    cleared = -1
    for quantity in found:
        if cleared >= 0 and quantity.band is None and _goes_on_with_clearance(quantity, cleared, tokens):
            quantity.band = "clearance"
        if quantity.unit is None and quantity.band is None and any(0 <= quantity.start - hit.end <= 3 for hit in clearances):
            quantity.unit, quantity.low_unit, quantity.per_time, quantity.band = "ml", "ml", "phut", "clearance"
        if quantity.band is not None or quantity.unit is None:
            continue
        if quantity.unit == "kg" and quantity.per_body is None and quantity.per_time is None:
            quantity.band = "weight"
        elif quantity.unit == "ml" and quantity.per_time == "phut" and any(0 <= quantity.start - hit.end <= 6 for hit in measured):
            quantity.band = "clearance"
            cleared = quantity.end
        elif (
            quantity.unit == "tuan"
            and "thai" in words[quantity.end : quantity.end + 6]
            and "tuổi" in words[quantity.end : quantity.end + 6]
        ):
            quantity.band = "gestation"
        elif quantity.unit in ("thang", "tuan") and quantity.per_time is None:
            if any(0 <= quantity.start - hit.end <= 3 for hit in children):
                quantity.band = "age"
        elif quantity.unit == "ngay" and quantity.in_parenthesis and words[quantity.end : quantity.end + 2] == [")", ":"]:
            quantity.band = "age"
