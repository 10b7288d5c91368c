"""The embedded model: answers and judges by wording alone, without weights and without a network (spec 03, "The offline model")."""

from duocthu_core.language_models.offline.model import MODEL_ID, OfflineModel

__all__ = ["MODEL_ID", "OfflineModel"]
