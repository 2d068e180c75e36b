"""Entities and relationships become one graph, hierarchical communities and positions."""
