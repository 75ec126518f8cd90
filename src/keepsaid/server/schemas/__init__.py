"""The request and response bodies of the HTTP API, as Pydantic models. The types of the web page are generated from them."""
