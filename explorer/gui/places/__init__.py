"""The places of the window, one package each."""
