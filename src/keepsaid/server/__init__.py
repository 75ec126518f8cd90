"""The server: the whole API of a memory over HTTP, and a web page (`keepsaid[server]`)."""
