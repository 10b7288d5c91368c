"""The pages that benchmarks work on: those of the other tests."""

from tests.app.conftest import built, open_page, services

__all__ = ["built", "open_page", "services"]
