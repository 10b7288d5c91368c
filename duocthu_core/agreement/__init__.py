"""What people's reviews say of the judge and of the answers: review and evaluation brought together (spec 06, page 6)."""
