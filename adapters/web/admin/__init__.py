"""Pages for admins: indexed documents, questions, and the making of an answer."""
