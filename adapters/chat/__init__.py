"""What people say and press on any platform, what follows, and what is said back; a platform draws, reads and sends."""
