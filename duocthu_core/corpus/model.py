"""Monographs and evidence blocks (spec 07, "Model")."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

BlockKind = Literal["prose", "table", "formula"]

SECTION_KEYS: tuple[str, ...] = (
    "ten_chung_quoc_te",
    "ma_atc",
    "loai_thuoc",
    "dang_thuoc_ham_luong",
    "duoc_ly",
    "duoc_dong_hoc",
    "chi_dinh",
    "chong_chi_dinh",
    "than_trong",
    "thoi_ky_mang_thai",
    "thoi_ky_cho_con_bu",
    "tac_dung_khong_mong_muon",
    "xu_tri_adr",
    "lieu_luong_cach_dung",
    "tuong_tac_thuoc",
    "do_on_dinh_bao_quan",
    "tuong_ky",
    "qua_lieu_xu_tri",
    "thong_tin_qui_che",
    "ten_thuong_mai",
)
"""Section keys in book order."""


class Monograph(BaseModel):
    """One drug's chapter: its names and what it belongs to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    drug_id: str
    """Slug of the Vietnamese name, ``amoxicilin-va-kali-clavulanat``."""
    name: str
    """Vietnamese name as the book heads the monograph."""
    inn: str = ""
    synonyms: tuple[str, ...] = ()
    brands: tuple[str, ...] = ()
    atc: tuple[str, ...] = ()
    drug_class: str = ""
    registration_number: str = ""
    """Of a package leaflet: the number its drug is registered under; empty for a monograph of the formulary."""
    edition: str


class Repair(BaseModel):
    """One change made to extracted text on its way into a block. A digit is never changed by a repair."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["page_header", "hyphenation", "markup", "white_space", "line_join", "separator"]
    """``separator``: the sign between two items of a list that became two blocks."""
    removed: str
    """The characters taken out, as they stood in the source."""
    inserted: str = ""
    page: int | None = None


class Block(BaseModel):
    """A labelled paragraph or list item group: what is retrieved, shown, cited and checked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    block_id: str
    """``paracetamol/lieu_luong_cach_dung/3``: drug, section, running number from 1."""
    drug_id: str
    section_key: str
    heading: str
    """The section heading as printed in the source."""
    text: str
    """The block's own text, NFC, the source's characters; every recorded repair apart."""
    kind: BlockKind = "prose"
    label: str | None = None
    """Governing labels that stand *outside* ``text`` in the source (population, condition, route, frequency), outer to inner,
    one a line, each ending in a colon; ``None`` where the text carries its own labels or needs none."""
    page_start: int | None = None
    page_end: int | None = None
    """Printed pages."""
    page_estimated: bool = False
    """The page is an estimate and is shown with "khoảng"."""
    quarantined: bool = False
    quarantine_reason: str | None = None
    """``table`` | ``formula`` | ``scrambled_columns`` | ``noise_near_digits`` | ``lost_sign`` …"""
    damage_notes: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    picture: str | None = None
    """Path of the stored page picture, where there is one."""
    edition: str = Field(default="", exclude=True)

    @property
    def shown_text(self) -> str:
        """Label lines and text as one string: what is shown, cited and checked, and what every span points into."""
        return f"{self.label}\n{self.text}" if self.label else self.text

    @computed_field  # type: ignore[prop-decorator]
    @property
    def content_hash(self) -> str:
        """``sha256:…`` over the shown text, so that re-imported other text is other evidence."""
        return "sha256:" + hashlib.sha256(self.shown_text.encode()).hexdigest()

    def url(self, edition: str) -> str:
        """``duocthu://{edition}/{block_id}?h={content_hash}`` (spec 07)."""
        return f"duocthu://{edition}/{self.block_id}?h={self.content_hash}"
