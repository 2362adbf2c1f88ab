"""Evidence: passages found for a question, each read by a language model for what it says about the question.

Short passages of several papers are read in one call. The model gives a relevance, a summary and the numbers of the
sentences that carry it; what was read decides which passages are read next.
"""
