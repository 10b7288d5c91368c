"""From the text of a book to monographs and blocks (spec 07, "Importing").

In order: :mod:`page_headers` take the pages out, :mod:`markup` and :mod:`paragraphs` make passages, :mod:`quarantine` marks tables and
formulas, :mod:`headings` and :mod:`monographs` find drugs and sections, :mod:`labels`, :mod:`governing`, :mod:`grouping` and :mod:`bands`
cut a section into labelled blocks. Nothing here reads a file or knows of a store.
"""
