"""Folders of this machine as a source of documents."""
