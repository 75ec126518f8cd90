"""The routes, one file per resource. They parse requests, call the memory in a thread, and build the responses."""
