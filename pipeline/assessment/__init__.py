"""How sure an answer is, and whether there is one."""
