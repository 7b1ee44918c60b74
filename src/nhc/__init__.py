"""A neural computer that learns algorithms by evolution and runs them at any scale."""

__version__ = "0.1.0"
