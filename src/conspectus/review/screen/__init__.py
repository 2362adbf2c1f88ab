"""Screen papers for a systematic review: the order of reading, labels, and when to stop."""
