"""The HTTP interface and the page. A route is a few lines over `library` and `wire`; `guard` decides who may call."""
