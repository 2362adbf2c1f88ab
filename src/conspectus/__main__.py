"""`python -m conspectus`: the command line."""

from conspectus.cli import main

if __name__ == "__main__":
    main()
