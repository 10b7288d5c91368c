"""The mutation lab's generators: wrong claims made from verified ones, to measure what the checks catch (spec 04, "What this must
reach")."""

from duocthu_core.verification.mutation.model import MUTANT_KINDS, Mutant, MutantKind, TrueBecause
from duocthu_core.verification.mutation.workshop import mutants

__all__ = ["MUTANT_KINDS", "Mutant", "MutantKind", "TrueBecause", "mutants"]
