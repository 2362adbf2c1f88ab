"""Services that know publications: each searches, looks identifiers up, and says what it knows of a paper.

`protocol` says what a service is, `registry` which there are. All ask through `client`, which keeps published limits
and budgets across processes and remembers answers. A service is only asked where `sources.online` says so.
"""
