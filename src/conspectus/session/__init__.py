"""An open library as its verbs see it, and the jobs that run over it."""
