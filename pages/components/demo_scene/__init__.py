"""One scene of the demonstration, drawn for a projector."""
