"""Planning worlds, each with rules on plain integers, an encoding and a sampler of states."""
