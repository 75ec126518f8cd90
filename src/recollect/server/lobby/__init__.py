"""What the processes of one server agree on, wherever a request arrives."""
