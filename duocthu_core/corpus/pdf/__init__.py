"""A PDF with a text layer into monographs and blocks (spec 07, "Importing").

:mod:`text_layer` reads a page with pdfium, :mod:`columns` and :mod:`tables` put its lines in reading order; both work in a process of
their own (:mod:`page_process`, which :mod:`page_reader` starts). :mod:`page_numbers` finds the printed pages and the running heads,
:mod:`paragraphs` makes passages of the lines, :mod:`slabs` cuts the book between monographs, :mod:`journal` keeps what is done, and
:mod:`import_pdf` puts it all together. From the passages on, a PDF is read by the same rooms as Markdown
(:mod:`duocthu_core.corpus.reading`).
"""
