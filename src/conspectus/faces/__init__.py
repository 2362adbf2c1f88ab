"""The faces of the program: command line, HTTP, Model Context Protocol, all made from the declared verbs."""
