"""Which label governs which block: until the next of its kind, and never further than is certain."""

from __future__ import annotations

from tests.corpus.books import book, doses, labelled, read


def _dose_blocks(*lines: str) -> list[tuple[str | None, str]]:
    return labelled(doses("\n\n".join(lines)))


def test_a_group_ends_at_the_next_group() -> None:
    assert _dose_blocks("*Người lớn:*", "Uống 10 mg.", "*Trẻ em:*", "Uống 2 mg.") == [
        ("Người lớn:", "Uống 10 mg."),
        ("Trẻ em:", "Uống 2 mg."),
    ]


def test_labels_stand_outer_to_inner() -> None:
    found = _dose_blocks("*Trẻ em:*", "Đau, sốt:", "*Uống:* Lần đầu 5 mg/kg.", "Lần sau 2 mg/kg.", "*Đặt trực tràng:* Chỉ 4 mg/kg.")
    assert found == [
        ("Trẻ em: Đau, sốt:", "Uống: Lần đầu 5 mg/kg."),
        ("Trẻ em: Đau, sốt: Uống:", "Lần sau 2 mg/kg."),
        ("Trẻ em: Đau, sốt:", "Đặt trực tràng: Chỉ 4 mg/kg."),
    ]


def test_a_label_at_the_end_of_a_paragraph_governs_what_follows() -> None:
    found = _dose_blocks("*Trẻ em:*", "Đau, sốt:", "Uống 5 mg/kg. Đau sau phẫu thuật:", "Uống 8 mg/kg.")
    assert found == [("Trẻ em: Đau, sốt:", "Uống 5 mg/kg."), ("Trẻ em: Đau sau phẫu thuật:", "Uống 8 mg/kg.")]


def test_two_labels_on_one_line_are_two_labels() -> None:
    found = _dose_blocks("Nhiễm khuẩn da: Người lớn:", "Nhẹ: 5 mg.", "Nặng: 8 mg.", "Trẻ em:", "Nhẹ: 1 mg/kg.")
    assert found == [
        ("Nhiễm khuẩn da: Người lớn:", "Nhẹ: 5 mg."),
        ("Nhiễm khuẩn da: Người lớn:", "Nặng: 8 mg."),
        ("Nhiễm khuẩn da: Trẻ em:", "Nhẹ: 1 mg/kg."),
    ]


def test_labels_that_no_text_stands_under_yet_stay_when_an_older_route_ends() -> None:
    found = _dose_blocks("*Truyền tĩnh mạch:* Pha 5 mg/ml.", "*Người lớn:*", "*Mắt hột:*", "*Uống:* Một liều 20 mg/kg.")
    assert found == [(None, "Truyền tĩnh mạch: Pha 5 mg/ml."), ("Người lớn: Mắt hột:", "Uống: Một liều 20 mg/kg.")]


def test_the_second_label_of_a_line_does_not_end_the_first() -> None:
    found = _dose_blocks("*Đường khác:* Nhỏ mắt 1 giọt.", "*Truyền:* Pha 5 mg/ml.", "Người lớn: Nhiễm khuẩn nhẹ:", "Uống 250 mg.")
    assert found[-1] == ("Người lớn: Nhiễm khuẩn nhẹ:", "Uống 250 mg.")


def test_a_condition_below_another_names_it_or_grades_it() -> None:
    found = _dose_blocks(
        "Bệnh Lyme:", "Viêm tim nhẹ:", "Uống 5 mg.", "Viêm khớp do bệnh Lyme:", "Uống 6 mg.", "Dự phòng bệnh than:", "Uống 7 mg."
    )
    assert found == [
        ("Bệnh Lyme: Viêm tim nhẹ:", "Uống 5 mg."),
        ("Bệnh Lyme: Viêm khớp do bệnh Lyme:", "Uống 6 mg."),
        ("Dự phòng bệnh than:", "Uống 7 mg."),
    ]


def test_renal_doses_stand_beside_ages_and_conditions_not_below_them() -> None:
    found = _dose_blocks("*Trẻ em:*", "Đau, sốt:", "Uống 5 mg/kg.", "*Suy thận:* Giảm nửa liều.", "*Suy gan:* Tránh dùng.")
    assert found == [("Trẻ em: Đau, sốt:", "Uống 5 mg/kg."), (None, "Suy thận: Giảm nửa liều."), (None, "Suy gan: Tránh dùng.")]


def test_a_renal_label_ends_the_label_for_normal_kidneys() -> None:
    found = _dose_blocks(
        "Liều uống cho người có chức năng thận bình thường:",
        "Nhiễm khuẩn da:",
        "Uống 5 mg. Đối với người suy thận, phải giảm liều:",
        "Clcr < 10 ml/phút: 1 mg.",
        "Clcr: 10 - 30 ml/phút: 2 mg.",
        "Bệnh nhân suy thận nặng không được dùng viên 8 mg.",
    )
    renal = "Đối với người suy thận, phải giảm liều:"
    assert found == [
        ("Liều uống cho người có chức năng thận bình thường: Nhiễm khuẩn da:", "Uống 5 mg."),
        (renal, "Clcr < 10 ml/phút: 1 mg."),
        (renal, "Clcr: 10 - 30 ml/phút: 2 mg."),
        (renal, "Bệnh nhân suy thận nặng không được dùng viên 8 mg."),
    ]


def test_ages_below_a_renal_label_stand_under_it() -> None:
    found = _dose_blocks("*Suy thận:*", "*Người lớn:*", "Uống 5 mg.", "*Trẻ em:*", "Uống 1 mg.")
    assert found == [("Suy thận: Người lớn:", "Uống 5 mg."), ("Suy thận: Trẻ em:", "Uống 1 mg.")]


def test_a_group_inside_a_group_stands_under_it() -> None:
    found = _dose_blocks("*Trẻ em:*", "Sơ sinh: 1 mg/kg.", "Trẻ em 1 - 5 tuổi: 2 mg/kg.")
    assert found == [("Trẻ em:", "Sơ sinh: 1 mg/kg."), ("Trẻ em:", "Trẻ em 1 - 5 tuổi: 2 mg/kg.")]


def test_men_and_women_stand_under_the_adults() -> None:
    found = _dose_blocks("*Người lớn:*", "Nam giới: 5 mg.", "Nữ giới: 3 mg.")
    assert found == [("Người lớn:", "Nam giới: 5 mg."), ("Người lớn:", "Nữ giới: 3 mg.")]


def test_bullets_and_numbers_in_front_of_a_label_make_no_difference() -> None:
    found = _dose_blocks("*Người lớn:*", "Uống 5 mg.", "- Trẻ em: 1 mg/kg.", "2. Người cao tuổi: 3 mg.", "a) Suy thận: 2 mg.")
    assert found == [
        ("Người lớn:", "Uống 5 mg."),
        (None, "Trẻ em: 1 mg/kg."),
        (None, "2. Người cao tuổi: 3 mg."),
        (None, "a) Suy thận: 2 mg."),
    ]


def test_a_band_does_not_stand_under_another_band() -> None:
    found = _dose_blocks(
        "Trẻ em 1 - 5 tuổi:", "Uống 2 mg.", "Trẻ em 6 - 12 tuổi:", "Uống 4 mg.", "Trên 50 kg:", "Uống 6 mg.", "Dưới 50 kg:", "Uống 5 mg."
    )
    assert [label for label, _ in found][:2] == ["Trẻ em 1 - 5 tuổi:", "Trẻ em 6 - 12 tuổi:"]
    assert found[3][0] is not None
    assert "Trên 50 kg" not in found[3][0]


def test_a_subheading_ends_every_label() -> None:
    found = _dose_blocks("*Người lớn:*", "Uống 5 mg.", "*Thời gian dùng thuốc:*", "Thường 7 ngày.")
    assert found == [("Người lớn:", "Uống 5 mg."), ("Thời gian dùng thuốc:", "Thường 7 ngày.")]


def test_a_section_ends_every_label() -> None:
    result = read(book(("Liều lượng và cách dùng", "*Trẻ em:*\n\nUống 5 mg."), ("Tương tác thuốc", "Rượu làm tăng tác dụng.")))
    assert labelled(list(result.blocks)) == [("Trẻ em:", "Uống 5 mg."), (None, "Rượu làm tăng tác dụng.")]


def test_subheadings_that_only_order_a_section_go_into_the_heading() -> None:
    first, second = doses("*Cách dùng:*\n\nNuốt cả viên.\n\n*Liều lượng:*\n\nUống 5 mg.")
    assert (first.heading, first.label) == ("Liều lượng và cách dùng > Cách dùng", None)
    assert (second.heading, second.label) == ("Liều lượng và cách dùng > Liều lượng", None)


def test_a_plain_label_keeps_what_depends_on_it_in_its_block() -> None:
    found = _dose_blocks("Tiêm bắp: Tiêm sâu.", "Người lớn: 5 mg.", "Trẻ em: 1 mg.", "Tiêm tĩnh mạch: Tiêm chậm.", "Người lớn: 4 mg.")
    assert found == [(None, "Tiêm bắp: Tiêm sâu.\nNgười lớn: 5 mg.\nTrẻ em: 1 mg."), (None, "Tiêm tĩnh mạch: Tiêm chậm.\nNgười lớn: 4 mg.")]


def test_a_line_for_all_is_neither_lost_nor_given_to_the_last_group() -> None:
    found = _dose_blocks("Bệnh Lyme:", "Người lớn: 5 mg.", "Trẻ em: 1 mg/kg.", "Không quá 8 mg mỗi ngày.")
    assert found == [("Bệnh Lyme:", "Người lớn: 5 mg.\nTrẻ em: 1 mg/kg.\nKhông quá 8 mg mỗi ngày.")]


def test_groups_one_a_line_with_nothing_behind_them_are_blocks_of_their_own() -> None:
    found = _dose_blocks("Nhiễm khuẩn da:", "Người lớn: 5 mg.", "Trẻ em: 1 mg/kg.", "Nhiễm khuẩn mắt:", "Người lớn: 3 mg.")
    assert found == [
        ("Nhiễm khuẩn da:", "Người lớn: 5 mg."),
        ("Nhiễm khuẩn da:", "Trẻ em: 1 mg/kg."),
        ("Nhiễm khuẩn mắt:", "Người lớn: 3 mg."),
    ]


def test_a_paragraph_that_goes_on_with_a_case_stays_with_it() -> None:
    found = _dose_blocks("*Người lớn:*", "Viêm phổi: 5 mg.", "Nếu nặng: 8 mg.", "Viêm da: 3 mg.")
    assert found == [("Người lớn:", "Viêm phổi: 5 mg.\nNếu nặng: 8 mg."), ("Người lớn:", "Viêm da: 3 mg.")]


def test_a_condition_after_the_routes_of_another_condition_is_beside_it() -> None:
    found = _dose_blocks("*Trẻ em:*", "Đau:", "*Uống:* 5 mg/kg. *Đường trực tràng:* 6 mg/kg.", "Sốt sau tiêm chủng: Uống: 2 mg/kg.")
    assert found[-1] == ("Trẻ em:", "Sốt sau tiêm chủng: Uống: 2 mg/kg.")


def test_a_sentence_about_another_group_is_not_under_the_group_before_it() -> None:
    found = _dose_blocks("*Trẻ em:*", "Uống 2 mg.", "Đối với người bệnh cao tuổi, nên bắt đầu với 1 mg.")
    assert found[-1] == (None, "Đối với người bệnh cao tuổi, nên bắt đầu với 1 mg.")


def test_a_tier_governs_the_organs_below_it() -> None:
    text = "Thường gặp, ADR > 1/100\n\nDa: Ban.\n\nMáu: Thiếu máu.\n\n*Hiếm gặp, ADR < 1/1 000*\n\nGan: Vàng da."
    assert labelled(list(read(book(("Tác dụng không mong muốn (ADR)", text))).blocks)) == [
        ("Thường gặp, ADR > 1/100:", "Da: Ban.\nMáu: Thiếu máu."),
        ("Hiếm gặp, ADR < 1/1 000:", "Gan: Vàng da."),
    ]


def test_a_tier_glued_to_the_paragraph_before_it_governs_what_follows() -> None:
    text = "*Ít gặp, 1/1 000 < ADR < 1/100*\n\nMáu: Giảm bạch cầu. *Hiếm gặp, ADR < 1/1 000*\n\nPhù mạch ở mặt."
    assert labelled(list(read(book(("Tác dụng không mong muốn (ADR)", text))).blocks)) == [
        ("Ít gặp, 1/1 000 < ADR < 1/100:", "Máu: Giảm bạch cầu."),
        ("Hiếm gặp, ADR < 1/1 000:", "Phù mạch ở mặt."),
    ]


def test_a_list_stands_under_the_line_that_introduces_it_and_no_further() -> None:
    text = "Không dùng trong các trường hợp sau:\n\nHen.\n\nLoét dạ dày.\n\nPhẫu thuật: Ngừng thuốc trước 7 ngày."
    assert labelled(list(read(book(("Thận trọng", text))).blocks)) == [
        ("Không dùng trong các trường hợp sau:", "Hen.\nLoét dạ dày."),
        (None, "Phẫu thuật: Ngừng thuốc trước 7 ngày."),
    ]


def test_a_short_line_above_a_paragraph_is_its_topic() -> None:
    pain = "Thuốc được dùng để giảm các chứng đau nhẹ và vừa, nhất là đau không do nội tạng gây ra."
    fever = "Thuốc được dùng để hạ thân nhiệt ở người bệnh sốt, dù sốt do bất kỳ nguyên nhân nào."
    result = read(book(("Chỉ định", f"Đau\n\n{pain}\n\nSốt\n\n{fever}")))
    assert labelled(list(result.blocks)) == [("Đau:", pain), ("Sốt:", fever)]


def test_a_label_above_nothing_becomes_a_block_and_is_noted() -> None:
    last = doses("Uống 5 mg.\n\n*Truyền tĩnh mạch liên tục*")[-1]
    assert last.text == "Truyền tĩnh mạch liên tục"
    assert last.damage_notes == ("Nhãn này không có nội dung bên dưới trong bản nguồn.",)


def test_a_list_over_a_page_border_is_two_blocks_each_with_its_page() -> None:
    text = "11 **Thuốc thử** DTQGVN 2\n\n" + book(("Chỉ định", "Hen.\n\nSốt.\n\n12 **Thuốc thử** DTQGVN 2\n\nHo."))
    assert [(block.text, block.page_start, block.page_end) for block in read(text).blocks] == [("Hen.\nSốt.", 11, 11), ("Ho.", 12, 12)]
