"""Doors for agent frameworks: each in a file of its own, behind an extra of its own, through that framework's own interface.

A conversation is the same through every door. What a framework says in other words than we do is translated; what we have no
field for is kept beside the message, and comes back through the same door as it was.
"""
