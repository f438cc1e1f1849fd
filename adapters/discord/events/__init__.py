"""What people say there, into the inbox."""
