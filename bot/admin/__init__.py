"""Services for admins: on the page, and in the terminal."""
