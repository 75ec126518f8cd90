"""What goes over the wire: Pydantic models, here and nowhere else. The OpenAPI document and the page's types are made from them."""
