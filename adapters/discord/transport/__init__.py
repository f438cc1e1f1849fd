"""The connection to Discord's gateway: client, shards and identification."""
