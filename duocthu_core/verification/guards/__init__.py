"""Check 1b: deterministic guards over claims and their cited blocks (spec 04, "Check 1b")."""

from duocthu_core.verification.guards.check import GuardContext, Guards

__all__ = ["GuardContext", "Guards"]
