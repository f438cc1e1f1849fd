"""What admins see: what is indexed, what is asked, and how an answer came about."""
