"""How a run in time goes: rates, events, other coordinates on the way, record, diagnosis."""
