"""The guide: its chapters and the one that is open."""
