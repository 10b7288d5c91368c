"""The parts of the evaluation page: one module a subject, each a function of typed results."""
