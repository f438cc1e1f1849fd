"""What a reply is drawn with."""
