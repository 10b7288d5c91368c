"""What every page stands in: words, access, address, services, the turn that is running."""
