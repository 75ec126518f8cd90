"""The server: everything that a memory can do over HTTP, with a page to look into it (`recollect[server]`)."""
