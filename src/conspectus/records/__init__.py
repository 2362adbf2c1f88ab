"""The nouns of Conspectus: frozen, typed, without input or output."""

from conspectus.records.filters import FACETS, Filters, facet_terms, normal_name
from conspectus.records.paper import Author, Metadata, Paper, PaperFile
from conspectus.records.parsed import Block, BlockKind, ParsedPaper, Sentence
from conspectus.records.passage import Passage, PassageKind, Place, Rect, Span
from conspectus.records.results import (
    AddReport,
    Answer,
    Citation,
    FileState,
    Finding,
    Hit,
    LedgerRow,
    SearchResult,
    Statement,
    StatementStatus,
    Status,
    Usage,
)

__all__ = [
    "FACETS",
    "AddReport",
    "Answer",
    "Author",
    "Block",
    "BlockKind",
    "Citation",
    "FileState",
    "Filters",
    "Finding",
    "Hit",
    "LedgerRow",
    "Metadata",
    "Paper",
    "PaperFile",
    "ParsedPaper",
    "Passage",
    "PassageKind",
    "Place",
    "Rect",
    "SearchResult",
    "Sentence",
    "Span",
    "Statement",
    "StatementStatus",
    "Status",
    "Usage",
    "facet_terms",
    "normal_name",
]
