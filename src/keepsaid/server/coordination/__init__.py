"""State that all processes of one server share."""
