"""How well a library is searched and answered from, measured: on sets of data, and on the library's own papers."""
