"""Units in parts: the base unit behind a number, what it is per (body weight, volume) and in which time."""

from __future__ import annotations

from duocthu_core.verification.guards.lexicon import BODY_UNITS, DOSE_KINDS, TIME_UNITS, Lexicon
from duocthu_core.verification.guards.quantity import Quantity
from duocthu_core.verification.guards.tokens import Tokens


def unit_at(tokens: Tokens, position: int, lexicon: Lexicon) -> tuple[str, int] | None:
    """The unit whose words begin at ``position``, and the position behind it."""
    if position >= len(tokens.words):
        return None
    for words, unit in lexicon.units.get(tokens.words[position], ()):
        behind = position + len(words)
        if tuple(tokens.words[position:behind]) == words:
            if unit == "nam" and words[-1] == "tuổi":
                return "tuoi", behind
            return unit, behind
    return None


def read_parts(quantity: Quantity, tokens: Tokens, lexicon: Lexicon) -> None:
    """What the unit is per: body weight or volume, and time."""
    words = tokens.words
    if quantity.unit == "phan_tram":
        return
    is_time = lexicon.unit_kinds.get(quantity.unit or "") == "time"
    while quantity.end < len(words):
        position = quantity.end
        if words[position] == "/":
            behind = _per(quantity, position + 1, tokens, lexicon)
        elif words[position] in lexicon.per_words and not (is_time and words[position] == "trong"):  # "6 giờ/lần trong 24 giờ"
            behind = _per_in_words(quantity, position, tokens, lexicon)
        else:
            behind = _per_behind_name(quantity, position, tokens, lexicon)
        if behind is None:
            return
        quantity.end = behind


_NAME_MAX = 4


def _per_behind_name(quantity: Quantity, position: int, tokens: Tokens, lexicon: Lexicon) -> int | None:
    """ "4 - 10 mg natri nitrit cho 1 kg thể trọng": the body part may stand behind the name of the drug."""
    if quantity.per_body is not None or lexicon.unit_kinds.get(quantity.unit or "") not in DOSE_KINDS:
        return None
    words = tokens.words
    for place in range(position, min(position + _NAME_MAX + 1, len(words) - 2)):
        if words[place] == "cho" and words[place + 1] in ("mỗi", "một", "1") and words[place + 2] == "kg":
            return _per_in_words(quantity, place, tokens, lexicon)
        if not words[place][0].isalpha():
            return None
    return None


def _per(quantity: Quantity, position: int, tokens: Tokens, lexicon: Lexicon) -> int | None:
    if position >= len(tokens.words):
        return None
    count = "1"
    number = tokens.numbers[position]
    if number is not None and number.kind == "number":
        count, position = number.text, position + 1
    unit = unit_at(tokens, position, lexicon)
    if unit is None:
        if tokens.words[position : position + 1] and tokens.words[position] in ("m2", "m²", "mm3", "mm³"):
            unit = (tokens.words[position].replace("²", "2").replace("³", "3"), position + 1)
        else:
            return None
    return _put_part(quantity, count, unit[0], unit[1], tokens)


def _per_in_words(quantity: Quantity, position: int, tokens: Tokens, lexicon: Lexicon) -> int | None:
    words = tokens.words
    opener = words[position]
    behind = position + 1
    if opener in ("trong", "cho", "trên", "theo") and behind < len(words) and words[behind] in ("mỗi", "một", "1", "24"):
        if words[behind] == "24":
            return _put_part(quantity, "24", "gio", behind + 2, tokens) if words[behind + 1 : behind + 2] in (["giờ"], ["h"]) else None
        behind += 1
    unit = unit_at(tokens, behind, lexicon)
    if unit is None:
        return None
    if opener in ("cho", "trên", "theo"):
        return _put_part(quantity, "1", "kg", unit[1], tokens) if unit[0] == "kg" else None
    if unit[0] not in TIME_UNITS or (opener == "1" and unit[0] not in ("lan", "ngay", "tuan")):
        return None
    if unit[0] == "lieu" and words[unit[1] : unit[1] + 1] == ["duy"]:
        return None
    if opener == "trong" and behind == position + 1 and unit[0] != "ngay":
        return None
    if words[unit[1] : unit[1] + 1] in (["trước"], ["sau"]):
        return None  # "1 giọt trong 1 giờ trước mổ" is no rate
    return _put_part(quantity, "1", unit[0], unit[1], tokens)


def _put_part(quantity: Quantity, count: str, unit: str, behind: int, tokens: Tokens) -> int | None:
    words = tokens.words
    if count == "1,73":
        return behind
    if unit == "lieu":
        unit = "lan"
    if unit in TIME_UNITS:
        if quantity.per_time is not None and unit != "ngay":
            return None
        if (count, unit) == ("24", "gio"):
            count, unit = "1", "ngay"
        part = unit if count == "1" else f"{count} {unit}"
        quantity.per_time = f"{quantity.per_time}/{part}" if quantity.per_time else part
        return behind
    if unit in BODY_UNITS or unit in ("m2", "mm3"):
        if quantity.per_body is not None:
            return behind if unit in ("m2",) else None
        quantity.per_body = unit if count == "1" else f"{count} {unit}"
        if unit == "kg" and words[behind : behind + 2] in (["thể", "trọng"], ["cân", "nặng"]):
            return behind + 2
        return behind
    return None


def unit_within(tokens: Tokens, start: int, end: int, lexicon: Lexicon) -> Quantity | None:
    """The first unit in brackets among the tokens ``start:end``, on a quantity without a number ("(ml/phút)")."""
    for place in range(start, end - 1):
        unit = unit_at(tokens, place + 1, lexicon) if tokens.words[place] == "(" else None
        if unit is not None:
            quantity = Quantity("", None, place + 1, unit[1], unit=unit[0], kind=lexicon.unit_kinds.get(unit[0], ""))
            read_parts(quantity, tokens, lexicon)
            return quantity
    return None
