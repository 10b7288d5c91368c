"""People judge what the product said: queues, blind verdicts, adjudication, history (spec 06, page 3)."""
