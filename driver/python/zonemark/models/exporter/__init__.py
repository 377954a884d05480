"""Finds models, calls them and writes what they return: programs, arrays and a manifest that says what is what."""
