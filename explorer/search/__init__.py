"""Questions over an index: roll-up, batches, map and reduce; every search returns a Trace."""
