"""The places of the window in the order of the rail: name → module and class. They are imported when first shown."""

from __future__ import annotations

PLACES = {
    "start": ("explorer.gui.places.start.place", "StartPlace"),
    "documents": ("explorer.gui.places.documents.place", "DocumentsPlace"),
    "communities": ("explorer.gui.places.communities.place", "CommunitiesPlace"),
    "ask": ("explorer.gui.places.ask.place", "AskPlace"),
    "fan-out": ("explorer.gui.places.fanout.place", "FanoutPlace"),
    "health": ("explorer.gui.places.health.place", "HealthPlace"),
    "connections": ("explorer.gui.places.connections.place", "ConnectionsPlace"),
}
