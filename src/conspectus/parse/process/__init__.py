"""Reading in child processes: the pool, its children and messages, pictures, and what a child may say."""
