"""What people asked, what came of it, and what the documents lack."""
