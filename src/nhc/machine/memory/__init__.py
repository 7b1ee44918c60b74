"""The coupled memories: control words, data words and links share one row of cells."""
