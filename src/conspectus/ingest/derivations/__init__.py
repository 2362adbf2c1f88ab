"""What is made of papers, one module a kind; `registry` lists them, and nothing else names one."""
