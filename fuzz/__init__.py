"""Fuzzing: random attacks, each drawn from a seed and a number and compared with something else.

`python -m fuzz` runs the campaigns of the table below; a failure names the seed and the number that
bring it back alone.  A new campaign is a new file with its `CAMPAIGN` and one more name in ALL.
"""

from fuzz import closed, expressions, faults, files, names, plugs, requests, threads, trees
from fuzz.campaign import Campaign

ALL: tuple[Campaign, ...] = (
    trees.CAMPAIGN,
    closed.CAMPAIGN,
    expressions.CAMPAIGN,
    files.CAMPAIGN,
    names.CAMPAIGN,
    threads.CAMPAIGN,
    faults.CAMPAIGN,
    plugs.CAMPAIGN,
    requests.CAMPAIGN,
)
CAMPAIGNS = {campaign.name: campaign for campaign in ALL}
