"""English function words: they carry no subject, so full text, late interaction and quoting pass over them."""

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each few for from further had has have having he her here hers him
    his how however i if in into is it its itself just may me might more most must my no nor not now of off on once only
    or other our ours out over own per same shall she should since so some such than that the their theirs them then
    there these they this those through thus to too under until up upon us very via was we were what when where whether
    which while who whom whose why will with within without would yet you your yours
    """.split()
)
