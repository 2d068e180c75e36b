"""Widgets that several places share."""
