"""Read uploaded files in separate processes with limits on time and memory."""
