"""Who somebody is, by whoever vouches for them."""
