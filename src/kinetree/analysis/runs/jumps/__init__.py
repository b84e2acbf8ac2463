"""Where laws jump: how long steps may be, what equal steps made of contacts, what chatters."""
