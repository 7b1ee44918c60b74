"""Checks of learned data modules against the rules of their world, on whole families or on samples."""
