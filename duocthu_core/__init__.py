"""Dược Thư Workbench: the product without a screen.

A grounded question-answering pipeline over the Vietnamese national drug formulary, with every stage open to inspection.
"""

__version__ = "0.1.0"
