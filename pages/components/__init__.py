"""Drawing of one thing each. A component is a folder: what it takes (``.py``) and how it looks (``.html``, ``.css``, ``.js``)."""
