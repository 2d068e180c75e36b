"""Documents: the files of a folder and the indexing of them."""
