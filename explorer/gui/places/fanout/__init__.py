"""The Fan-out place: what a question costs at each level of the index that is open."""
