"""The routes, one file for each noun. They parse, call the memory in a thread, and shape what it says."""
