"""What a run can be: each kind turns a full configuration and a folder into a result."""
