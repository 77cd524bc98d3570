"""Puts this folder on the path, so that tests in folders below find the helpers here."""
