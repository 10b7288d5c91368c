"""What leaves the workbench (spec 06, "Traces, exports"): traces as JSONL and CSV, audit reports with their hashes, OpenTelemetry."""
