"""Replies: shown while they are written, ended, and refused."""
