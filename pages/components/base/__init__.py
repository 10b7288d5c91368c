"""What all components share: the style tokens, the drawing functions, and how a folder becomes a component."""
