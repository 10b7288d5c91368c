"""The verification cache: a judge's verdict is kept, so that one claim is not judged twice (spec 05)."""
