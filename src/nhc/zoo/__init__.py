"""Trained models that ship with the package; `nhc zoo` lists them with their training record."""
