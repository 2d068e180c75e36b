"""What every floor stands on: fates and the ledger, events, cancel scope, errors, token counts, files, locks, paths."""
