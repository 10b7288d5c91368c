"""Small monographs in our own words, with the labels, tables and traps that retrieval has to tell apart."""

from __future__ import annotations

from typing import Any

from duocthu_core.corpus.collection import Corpus
from duocthu_core.corpus.model import Block, Monograph

EDITION = "Bản thử tra cứu"
DOSAGE = "lieu_luong_cach_dung"


def block(drug_id: str, section_key: str, number: int, text: str, label: str | None = None, **more: Any) -> Block:
    """A block on page 100 unless told otherwise."""
    fields: dict[str, Any] = {"heading": "Mục", "page_start": 100, "page_end": 100} | more
    return Block(block_id=f"{drug_id}/{section_key}/{number}", drug_id=drug_id, section_key=section_key, text=text, label=label, **fields)


def table(drug_id: str, section_key: str, number: int, text: str, label: str | None = None, *, page: int = 101) -> Block:
    """A quarantined table."""
    return block(
        drug_id, section_key, number, text, label, kind="table", quarantined=True, quarantine_reason="table", page_start=page, page_end=page
    )


def _fever_drug() -> list[Block]:
    """Lines for every group, route and band."""
    name = "hatasol"
    lines = [
        ("Cách dùng:", "Nuốt nguyên viên với nước."),
        ("Người lớn:\nUống:", "500 mg - 1 g mỗi lần, cách 6 giờ."),
        ("Người lớn:\nTruyền tĩnh mạch trong 15 phút:", "Trên 50 kg: 1 g mỗi lần. Dưới 50 kg: 15 mg/kg mỗi lần."),
        ("Trẻ em:\nUống:", "Trẻ em 6 tháng - 2 tuổi: 120 mg; Trẻ em 2 - 4 tuổi: 180 mg."),
        ("Trẻ em:\nUống:", "6 - 8 tuổi: 250 mg."),
        ("Trẻ em:\nUống:", "8 - 10 tuổi: 375 mg."),
        ("Trẻ em:\nĐặt trực tràng:", "Trẻ 3 tháng - 1 tuổi: 60 mg; 1 - 5 tuổi: 125 mg; 5 - 12 tuổi: 250 mg."),
        ("Trẻ em:\nTruyền tĩnh mạch trong 15 phút:", "Cân nặng < 10 kg: 10 mg/kg. Cân nặng 10 - 50 kg: 15 mg/kg."),
        ("Sơ sinh:", "Sơ sinh 28 - 32 tuần: 20 mg/kg một liều. Sơ sinh > 32 tuần: 30 mg/kg một liều."),
        ("Suy thận:", "Clcr ≤ 30 ml/phút: cách nhau 8 giờ/lần. Clcr 31 - 60 ml/phút: cách nhau 6 giờ/lần."),
        ("Suy gan:", "Dùng liều thấp, tránh kéo dài."),
        (None, "Liều tối đa 4 g mỗi ngày."),
    ]
    dosage = [block(name, DOSAGE, number, text, label) for number, (label, text) in enumerate(lines, start=1)]
    return [
        block(name, "chi_dinh", 1, "Đau nhẹ đến vừa. Sốt do mọi nguyên nhân."),
        block(name, "chong_chi_dinh", 1, "Quá mẫn với thuốc. Suy gan nặng."),
        block(name, "than_trong", 1, "Thận trọng ở người suy thận và người nghiện rượu."),
        block(name, "thoi_ky_mang_thai", 1, "Chỉ dùng khi thật cần."),
        block(name, "tac_dung_khong_mong_muon", 1, "Ban da, buồn ngủ.", "Ít gặp:"),
        *dosage,
        block(name, "tuong_tac_thuoc", 1, "Làm tăng nhẹ tác dụng của nhóm này.", "Thuốc uống chống đông máu:"),
        block(name, "tuong_tac_thuoc", 2, "Rượu làm tăng độc tính."),
        block(name, "qua_lieu_xu_tri", 1, "Rửa dạ dày sớm, cho thuốc giải độc."),
    ]


def _kidney_drug() -> list[Block]:
    """Renal doses stand in a table; the prose only speaks of kidneys."""
    name = "kilosin"
    return [
        block(name, "chi_dinh", 1, "Nhiễm khuẩn đường tiết niệu; viêm phổi. Không dùng điều trị sốt rét."),
        block(name, "than_trong", 1, "Khi dùng cho người suy chức năng thận cần giảm liều mỗi ngày."),
        block(name, DOSAGE, 1, "250 - 500 mg cách 8 giờ một lần.", "Người lớn:"),
        block(name, DOSAGE, 2, "25 mg/kg/ngày chia 3 lần.", "Trẻ em trên 1 tháng tuổi:"),
        block(name, DOSAGE, 3, "Cần giảm liều; mức giảm theo bảng dưới đây.", "Suy thận:"),
        table(
            name,
            DOSAGE,
            4,
            "Bảng 1: liều cho người lớn suy thận\nĐộ thanh thải creatinin (ml/phút) | Liều\n35 - 54 | như thường\n10 | một nửa",
            page=345,
        ),
        table(name, DOSAGE, 5, "Bảng pha dung dịch tiêm theo cỡ lọ\n500 mg | 2 ml", page=346),
        block(name, "tuong_tac_thuoc", 1, "Hatasol không làm thay đổi nồng độ."),
        table(name, "duoc_ly", 1, "Bảng MIC theo chủng\nS. aureus | 0,1", page=340),
    ]


def _plain_drugs() -> list[Block]:
    return [
        block("amlosin", "chi_dinh", 1, "Tăng huyết áp; đau thắt ngực ổn định."),
        block("amlosin", DOSAGE, 1, "Khởi đầu 5 mg mỗi ngày một lần.", "Người lớn:"),
        block("amlosin", DOSAGE, 2, "2,5 mg mỗi ngày một lần.", "Trẻ em ≥ 6 tuổi:"),
        block("amlosin", "chong_chi_dinh", 1, "Sốc tim.", page_start=None, page_end=None),
        block("warfarol", "chi_dinh", 1, "Phòng huyết khối."),
        block("warfarol", "tuong_tac_thuoc", 1, "Hatasol liều cao dài ngày làm tăng tác dụng.", "Hatasol:"),
        block("chisotol", "chi_dinh", 1, "Co giật do sốt cao; lo âu."),
        block("chisotol", DOSAGE, 1, "Xem bảng."),
        table("chisotol", DOSAGE, 2, "Bảng liều theo cân nặng\n10 kg | 5 mg", page=513),
    ]


def sample_corpus() -> Corpus:
    """Five made-up drugs."""
    drugs = [
        Monograph(drug_id="hatasol", name="Hatasol", synonyms=("Acetahata",), drug_class="Giảm đau; hạ sốt", edition=EDITION),
        Monograph(drug_id="kilosin", name="Kilosin", drug_class="Kháng sinh nhóm cephalosporin", edition=EDITION),
        Monograph(drug_id="amlosin", name="Amlosin", drug_class="Chống tăng huyết áp", edition=EDITION),
        Monograph(drug_id="warfarol", name="Warfarol", drug_class="Thuốc chống đông máu", edition=EDITION),
        Monograph(drug_id="chisotol", name="Chisotol", drug_class="An thần", edition=EDITION),
    ]
    return Corpus.of(drugs, [*_fever_drug(), *_kidney_drug(), *_plain_drugs()], EDITION)
