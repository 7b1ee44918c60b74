"""Planning tasks: search trees, what the teacher expects, and sampling by curriculum level."""
