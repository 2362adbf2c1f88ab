"""Models that make vectors of pictures, and of words that say what a picture shows."""
