"""From passages to a draft of which every sentence is checked."""
