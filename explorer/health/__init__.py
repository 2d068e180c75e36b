"""What is wrong with this machine or an index, and the remedy."""
