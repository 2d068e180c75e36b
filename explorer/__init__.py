"""GraphRAG Explorer: a folder of documents becomes a graph of communities, and every loss on the way has a name."""

__version__ = "0.1.0"
