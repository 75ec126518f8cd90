"""What goes over the wire: Pydantic models, here and nowhere else. The page's types are made from them, too."""
