"""Google Drive as a source: a folder or a shared drive that is shared with a service account."""
