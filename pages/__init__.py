"""The screen: one file a page, ``frame`` for what every page needs, ``components`` for the drawing of one thing each.

This folder is on ``sys.path`` while a page runs, so no file in it may be named like a module of Python's library (``trace``, ``code`` …).
"""
