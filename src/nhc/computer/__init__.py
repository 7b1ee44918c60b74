"""The whole computer: the machine composed with a data side, which is data modules or an algorithm's own."""
