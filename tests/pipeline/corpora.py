"""A small corpus in our own words, for tests of the whole pipeline."""

from __future__ import annotations

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block, Monograph

EDITION = "Bộ thử"


def _block(block_id: str, text: str, page: int | None, label: str | None = None, **more: object) -> Block:
    drug_id, section, _ = block_id.split("/")
    headings = {
        "lieu_luong_cach_dung": "Liều lượng và cách dùng",
        "chong_chi_dinh": "Chống chỉ định",
        "chi_dinh": "Chỉ định",
        "tuong_tac_thuoc": "Tương tác thuốc",
        "qua_lieu_xu_tri": "Quá liều và xử trí",
        "thoi_ky_mang_thai": "Thời kỳ mang thai",
    }
    return Block.model_validate(
        {
            "block_id": block_id,
            "drug_id": drug_id,
            "section_key": section,
            "heading": headings[section],
            "text": text,
            "label": label,
            "page_start": page,
            "page_end": page,
        }
        | more
    )


def small_corpus() -> Corpus:
    """Two drugs: one with oral and rectal doses by group, one whose renal doses stand in a table."""
    monographs = (
        Monograph(drug_id="paracetamol", name="Paracetamol", inn="Paracetamol", synonyms=("acetaminophen",), edition=EDITION),
        Monograph(drug_id="cefazolin", name="Cefazolin", inn="Cefazolin", edition=EDITION),
    )
    blocks = (
        _block("paracetamol/chi_dinh/1", "Giảm đau nhẹ đến vừa và hạ sốt.", 1118),
        _block("paracetamol/chong_chi_dinh/1", "Quá mẫn với paracetamol. Suy gan nặng.", 1119),
        _block("paracetamol/lieu_luong_cach_dung/1", "0,5 - 1 g/lần, cách 4 - 6 giờ một lần; tối đa 4 g/ngày.", 1120, "Người lớn:\nUống:"),
        _block("paracetamol/lieu_luong_cach_dung/2", "0,5 - 1 g/lần, tối đa 4 lần/ngày.", 1120, "Người lớn:\nĐặt trực tràng:"),
        _block("paracetamol/lieu_luong_cach_dung/3", "Trẻ em 4 - 6 tuổi: 240 mg.", 1120, "Trẻ em:\nUống:"),
        _block("paracetamol/lieu_luong_cach_dung/4", "Trẻ em 6 - 8 tuổi: 240 - 250 mg.", 1120, "Trẻ em:\nUống:"),
        _block("paracetamol/lieu_luong_cach_dung/5", "Trẻ em 8 - 10 tuổi: 360 - 375 mg.", 1120, "Trẻ em:\nUống:"),
        _block(
            "paracetamol/qua_lieu_xu_tri/1",
            "Giải độc bằng N-acetylcystein: liều đầu 140 mg/kg, sau đó 17 liều, mỗi liều 70 mg/kg.",
            1121,
        ),
        _block("cefazolin/chi_dinh/1", "Nhiễm khuẩn hô hấp, da và mô mềm do vi khuẩn nhạy cảm.", 344),
        _block("cefazolin/lieu_luong_cach_dung/1", "Tiêm bắp 0,25 - 1 g, cách 6 - 12 giờ một lần.", 345, "Người lớn:"),
        _block(
            "cefazolin/lieu_luong_cach_dung/2",
            "Bảng liều cho người suy thận theo độ thanh thải creatinin.",
            345,
            "Suy thận:",
            kind="table",
            quarantined=True,
            quarantine_reason="table",
        ),
    )
    return Corpus.of(monographs=monographs, blocks=blocks, edition=EDITION)
