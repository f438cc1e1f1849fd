"""What people press there."""
