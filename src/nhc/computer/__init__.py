"""The whole computer: the machine composed with data modules. Only this package knows both halves."""
