"""Pages for admins: indexed documents, questions, and how an answer was made."""
