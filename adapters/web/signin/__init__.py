"""Sign-in: who somebody is, by an identity provider or a proxy."""
