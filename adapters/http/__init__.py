"""HTTP that this process answers: one application at each address, with one set of limits, whoever has routes there."""
