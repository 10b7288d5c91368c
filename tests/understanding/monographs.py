"""Monographs for these tests: the names that a small formulary has, nothing else."""

from __future__ import annotations

from duocthu_core.corpus.model import Monograph
from duocthu_core.text.folding import strip_marks

EDITION = "Bộ thử"

_NAMES: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("Paracetamol", "Paracetamol", ("acetaminophen",), ("Acemol",)),
    ("Amoxicilin", "Amoxicillin", ("amoxicillin",), ("Ospamox",)),
    ("Amoxicilin và kali clavulanat", "Amoxicillin and potassium clavulanate", (), ("Augmentin",)),
    ("Cefazolin", "Cefazolin", (), ()),
    ("Cefuroxim", "Cefuroxime", (), ("Zinnat",)),
    ("Ceftriaxon", "Ceftriaxone", (), ()),
    ("Acid acetylsalicylic (Aspirin)", "Acetylsalicylic acid", ("aspirin",), ()),
    ("Ibuprofen", "Ibuprofen", (), ()),
    ("Diclofenac", "Diclofenac", ("diclofenac natri",), ()),
    ("Omeprazol", "Omeprazole", (), ()),
    ("Metronidazol", "Metronidazole", (), ()),
    ("Ciprofloxacin", "Ciprofloxacin", (), ()),
    ("Azithromycin", "Azithromycin", (), ()),
    ("Clarithromycin", "Clarithromycin", (), ()),
    ("Metoclopramid", "Metoclopramide", (), ()),
    ("Metformin", "Metformin", (), ()),
    ("Gliclazid", "Gliclazide", (), ()),
    ("Amlodipin", "Amlodipine", (), ()),
    ("Captopril", "Captopril", (), ()),
    ("Losartan", "Losartan", (), ()),
    ("Enalapril", "Enalapril", (), ()),
    ("Furosemid", "Furosemide", (), ()),
    ("Propranolol", "Propranolol", (), ()),
    ("Salbutamol (dùng trong hô hấp)", "Salbutamol", (), ("Ventolin",)),
    ("Prednisolon", "Prednisolone", (), ()),
    ("Loratadin", "Loratadine", (), ()),
    ("Clorpheniramin", "Chlorphenamine", (), ()),
    ("Cetirizin hydroclorid", "Cetirizine hydrochloride", ("cetirizin",), ("Zyrtec",)),
    ("Vancomycin", "Vancomycin", (), ()),
    ("Gentamicin", "Gentamicin", (), ()),
    ("Diazepam", "Diazepam", (), ()),
    ("Phenytoin", "Phenytoin", (), ()),
    ("Isoniazid", "Isoniazid", (), ()),
    ("Methotrexat", "Methotrexate", (), ()),
    ("Heparin", "Heparin", (), ()),
)


def slug(name: str) -> str:
    """The drug id of a name."""
    return "-".join(strip_marks(name.partition(" (")[0]).lower().split())


def monograph(name: str, inn: str = "", synonyms: tuple[str, ...] = (), brands: tuple[str, ...] = (), drug_id: str = "") -> Monograph:
    """A monograph of which only the names matter."""
    return Monograph(drug_id=drug_id or slug(name), name=name, inn=inn, synonyms=synonyms, brands=brands, edition=EDITION)


def small_formulary() -> tuple[Monograph, ...]:
    """Thirty-five drugs."""
    return tuple(monograph(*names) for names in _NAMES)
