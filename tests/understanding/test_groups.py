"""Patient groups and routes (tables ``populations`` and ``routes``)."""

from __future__ import annotations

from typing import Any

import pytest

from duocthu_core.understanding.reading import Understander
from tests.understanding.tables import POPULATIONS, ROUTES

TAGS: dict[str, Any] = POPULATIONS["tags"]


@pytest.mark.parametrize("tag", TAGS)
def test_every_phrase_names_its_group(understander: Understander, tag: str) -> None:
    entry = TAGS[tag]
    read = {phrase: understander.read(str(phrase)).populations for phrase in (*entry["phrases"], *entry.get("accentless", ()))}
    assert {phrase: tags for phrase, tags in read.items() if tag not in tags} == {}


@pytest.mark.parametrize("tag", TAGS)
def test_what_is_negated_or_no_trigger_does_not_name_the_group(understander: Understander, tag: str) -> None:
    entry = TAGS[tag]
    kept = set(entry.get("negated_keeps_tag", ()))
    cancels = [phrase for phrase in (*entry.get("negated", ()), *entry.get("not_trigger", ())) if phrase not in kept]
    read = {phrase: understander.read(str(phrase)).populations for phrase in cancels}
    assert {phrase: tags for phrase, tags in read.items() if tag in tags} == {}


@pytest.mark.parametrize(
    ("text", "population"),
    [
        ("Tôi đang cho con bú, dùng paracetamol được không?", "phu_nu_cho_con_bu"),
        ("Em đang cho con bú, bé 2 tháng", "phu_nu_cho_con_bu"),
        ("người lớn tuổi", "nguoi_cao_tuoi"),
        ("không dùng cho trẻ em", "tre_em"),
        ("để xa tầm tay trẻ em", None),
        ("trẻ sơ sinh thiếu tháng", "tre_so_sinh_thieu_thang"),
        ("mẹ em 72t bị suy thận độ 3", "suy_than"),
        ("người lớn 70 tuổi", "nguoi_cao_tuoi"),
        ("liều người lớn và trẻ em", None),
        ("trẻ em và người lớn khác nhau thế nào", None),
        ("bà bầu bị suy thận", "phu_nu_co_thai"),
        ("không suy thận", "than_binh_thuong"),
        ("chức năng thận bình thường", "than_binh_thuong"),
        ("Clcr 100 ml/phút", "than_binh_thuong"),
        ("Clcr 45", "suy_than"),
        ("cháu nặng 12kg", "tre_em"),
        ("cháu bị đau đầu", None),
        ("tôi nặng 50 kg", None),
        ("dùng thuốc chẹn kênh calci CCB", None),
        ("PN CCB dùng được không", "phu_nu_cho_con_bu"),
        ("PNCT", "phu_nu_co_thai"),
        ("TE 10 kg", "tre_em"),
        ("Child-Pugh B", "suy_gan"),
        ("thận trọng khi dùng", None),
        ("phu nu dang cho con bu", "phu_nu_cho_con_bu"),
    ],
)
def test_the_group_of_a_question(understander: Understander, text: str, population: str | None) -> None:
    assert understander.read(text).population == population


def test_two_groups_are_both_reported_and_none_is_picked(understander: Understander) -> None:
    question = understander.read("Liều amoxicilin cho người lớn và trẻ em")
    assert question.population is None
    assert question.populations == ("nguoi_lon", "tre_em")


GOVERNED = {"từ 5 đến < 10 kg", "Clcr (ml/phút/1,73m2)"}
"""Their group stands in the line above."""


@pytest.mark.parametrize(
    "label",
    [label for label in POPULATIONS["label_forms"] + POPULATIONS["union_labels"] if label["text"] not in GOVERNED],
    ids=lambda label: label["text"],
)
def test_labels_of_the_book_name_their_groups(understander: Understander, label: dict[str, Any]) -> None:
    named = set(understander.read(label["text"]).populations)
    assert set(label["tags"]) <= named or not label["tags"]


@pytest.mark.parametrize("route", ROUTES["routes"])
def test_every_phrase_names_its_route(understander: Understander, route: str) -> None:
    entry = ROUTES["routes"][route]
    read = {phrase: understander.read(str(phrase)).routes for phrase in (*entry["phrases"], *entry.get("accentless", ()))}
    assert {phrase: routes for phrase, routes in read.items() if route not in routes} == {}


@pytest.mark.parametrize("route", ROUTES["routes"])
def test_what_is_no_trigger_does_not_name_the_route(understander: Understander, route: str) -> None:
    read = {phrase: understander.read(str(phrase)).routes for phrase in ROUTES["routes"][route].get("not_trigger", ())}
    assert {phrase: routes for phrase, routes in read.items() if route in routes} == {}


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("Người lớn uống paracetamol liều bao nhiêu?", ("uong",)),
        ("tiêm truyền tĩnh mạch", ("truyen_tinh_mach",)),
        ("tiêm diclofenac bắp hay tĩnh mạch", ("tiem_bap", "tiem_tinh_mach")),
        ("bắp/TM", ("tiem_bap", "tiem_tinh_mach")),
        ("uống hay tiêm", ("uong", "tiem_khong_ro")),
        ("NYHA IV dùng được không", ()),
        ("độ IV", ()),
        ("500 mg IV", ("tiem_tinh_mach",)),
        ("ceftriaxon 1g iv", ("tiem_tinh_mach",)),
        ("đau bắp chân", ()),
        ("bị sốt không uống được thì tiêm", ("tiem_khong_ro",)),
    ],
)
def test_the_routes_of_a_question(understander: Understander, text: str, routes: tuple[str, ...]) -> None:
    question = understander.read(text)
    assert question.routes == routes
    assert question.route == (routes[0] if len(routes) == 1 else None)


@pytest.mark.parametrize(
    ("text", "routes", "groups"),
    [
        ("paracetamol uong cho tre", ("uong",), ("tre_em",)),
        ("lieu cefazolin tiem", ("tiem_khong_ro",), ()),
        ("lieu cefazolin tiem bap nguoi lon", ("tiem_bap",), ("nguoi_lon",)),
        ("lieu cefazolin truyen cho be 12 kg", ("truyen_tinh_mach",), ("tre_em",)),
        ("paracetamol be doi vien duoc khong", (), ()),
        ("hieu thuoc va tiem thuoc co ban paracetamol khong", (), ()),
        ("lieu paracetamol benh truyen nhiem", (), ()),
    ],
)
def test_single_words_without_marks_name_routes_and_groups_where_nothing_else_is_meant(
    understander: Understander, text: str, routes: tuple[str, ...], groups: tuple[str, ...]
) -> None:
    question = understander.read(text)
    assert (question.routes, question.populations) == (routes, groups)
