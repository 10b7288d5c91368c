"""Who may do what: roles, accounts, and how long a sign-in lasts (spec 06, "Access")."""
