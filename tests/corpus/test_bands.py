"""Runs of bands: one block for each, and only where no sentence may be a limit for all."""

from __future__ import annotations

import pytest

from tests.corpus.books import doses, labelled


def _blocks(text: str) -> list[tuple[str | None, str]]:
    return labelled(doses(text))


def test_each_band_of_a_run_is_a_block() -> None:
    found = _blocks("*Trẻ em:*\n\nTrẻ em 3 - 6 tháng tuổi: 6 mg; Trẻ em 6 tháng - 2 tuổi: 12 mg; Trẻ em 2 - 4 tuổi: 18 mg - 1 g.")
    assert found == [
        ("Trẻ em:", "Trẻ em 3 - 6 tháng tuổi: 6 mg"),
        ("Trẻ em:", "Trẻ em 6 tháng - 2 tuổi: 12 mg"),
        ("Trẻ em:", "Trẻ em 2 - 4 tuổi: 18 mg - 1 g."),
    ]


def test_the_sign_between_two_items_is_recorded() -> None:
    first = doses("Trẻ em 1 - 2 tuổi: 1 mg; Trẻ em 3 - 4 tuổi: 2 mg; Trẻ em 5 - 6 tuổi: 3 mg.")[0]
    assert [(repair.kind, repair.removed) for repair in first.repairs] == [("separator", ";")]


def test_the_label_in_front_of_a_run_governs_every_item() -> None:
    found = _blocks("*Trẻ em:*\n\n*Đặt trực tràng:* Sơ sinh: 3 mg/kg. Trẻ 3 tháng - 1 tuổi: 6 mg; 1 - 5 tuổi: 12 mg; 5 - 12 tuổi: 25 mg.")
    assert found == [
        ("Trẻ em: Đặt trực tràng:", "Sơ sinh: 3 mg/kg."),
        ("Trẻ em: Đặt trực tràng:", "Trẻ 3 tháng - 1 tuổi: 6 mg"),
        ("Trẻ em: Đặt trực tràng:", "1 - 5 tuổi: 12 mg"),
        ("Trẻ em: Đặt trực tràng:", "5 - 12 tuổi: 25 mg."),
    ]


def test_a_second_route_inside_the_run_governs_its_own_items() -> None:
    found = _blocks(
        "*Uống:* Trẻ em 1 - 5 tuổi: 2 mg. Trẻ em 6 - 12 tuổi: 4 mg. *Đường trực tràng:* Trẻ em 1 - 5 tuổi: 3 mg. Trẻ em 6 - 12 tuổi: 6 mg."
    )
    assert [label for label, _ in found] == ["Uống:", "Uống:", "Đường trực tràng:", "Đường trực tràng:"]


def test_sentences_that_name_their_own_group_are_items() -> None:
    own = ["Trẻ 1 - 6 tuổi dùng tối đa 4 lần/ngày.", "Các liều cho trẻ từ 1 - 6 tuổi có thể nhắc lại."]
    found = _blocks(f"Trẻ 1 - 2 tuổi: 1 mg; 3 - 4 tuổi: 2 mg; 5 - 6 tuổi: 3 mg. {' '.join(own)}")
    assert [text for _, text in found][-2:] == own


def test_a_band_before_a_comma_is_an_item() -> None:
    found = _blocks(
        "Liều được tính theo cân nặng. Sơ sinh thiếu tháng trên 32 tuần, 7,5 mg/kg. Sơ sinh: 10 mg/kg. Trẻ em cân nặng < 10 kg: 12 mg/kg."
    )
    assert [text for _, text in found] == [
        "Liều được tính theo cân nặng.",
        "Sơ sinh thiếu tháng trên 32 tuần, 7,5 mg/kg.",
        "Sơ sinh: 10 mg/kg.",
        "Trẻ em cân nặng < 10 kg: 12 mg/kg.",
    ]


RUN = "Trẻ em 1 - 2 tuổi: 1 mg; Trẻ em 3 - 4 tuổi: 2 mg; Trẻ em 5 - 6 tuổi: 3 mg."


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN} Không được vượt quá 8 mg/ngày.",
        f"{RUN} Uống sau ăn.",
        f"Không quá 4 lần mỗi ngày. {RUN}",
        f"Mỗi ngày 1 lần. {RUN}",
        "Trẻ em 1 - 2 tuổi: 1 mg. Trẻ em 3 - 4 tuổi: 2 mg.",
        "Trẻ em 1 - 2 tuổi: 1 mg. Có thể nhắc lại. Trẻ em 3 - 4 tuổi: 2 mg. Trẻ em 5 - 6 tuổi: 3 mg.",
        "Trên 50 kg: 1 g. Dưới 50 kg: 15 mg/kg. Không quá 3 g/ngày ở bệnh nhân nghiện rượu.",
    ],
    ids=["limit behind", "remark behind", "limit before", "schedule before", "two bands", "remark inside", "two weights and a limit"],
)
def test_a_paragraph_with_a_sentence_of_no_group_stays_whole(text: str) -> None:
    assert [block for _, block in _blocks(text)] == [text]


def test_a_band_in_brackets_stays_with_the_group_it_belongs_to() -> None:
    found = _blocks("Trẻ em: 5 mg/kg. Sơ sinh thiếu tháng (0 - 7 ngày): 1 mg/kg; (7 - 30 ngày): 2 mg/kg. Sơ sinh đủ tháng: 3 mg/kg.")
    assert "Sơ sinh thiếu tháng (0 - 7 ngày): 1 mg/kg; (7 - 30 ngày): 2 mg/kg." in [text for _, text in found]


def test_runs_are_cut_only_where_doses_stand() -> None:
    from tests.corpus.books import book, read

    assert len(read(book(("Dược động học", RUN))).blocks) == 1
