"""Requests for the adapters' tests."""

from __future__ import annotations

from duocthu_core.language_models.port import ModelRequest

SCHEMA = {"type": "object", "properties": {"claims": {"type": "array"}}, "required": ["claims"]}


def answer_request(
    user: str = "BẰNG CHỨNG\n[1] Người lớn: 0,5 - 1 g mỗi 4 - 6 giờ.\n\nCÂU HỎI\nliều paracetamol?", **changes: object
) -> ModelRequest:
    """A request for an answer with a schema."""
    fields: dict[str, object] = {
        "purpose": "answer",
        "system": "Chỉ dùng BẰNG CHỨNG.",
        "user": user,
        "json_schema": SCHEMA,
        "max_output_tokens": 256,
        "payload": {"question": "liều paracetamol?"},
    }
    return ModelRequest.model_validate(fields | changes)
