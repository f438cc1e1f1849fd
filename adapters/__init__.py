"""Other people's services: chat platforms, language models, file formats, document sources."""
