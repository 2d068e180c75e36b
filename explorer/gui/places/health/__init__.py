"""Health: what is wrong in the index that is open, what its maker left out, and what each table became."""
