"""What follows a press, a form or a command: one handler for each."""
