"""The nouns of Conspectus: frozen, typed, without input or output."""

from conspectus.records.account import LACKING, LEAST_SEARCHED, Fate, LeftOut, PageAccount, Share, told_lacking
from conspectus.records.answer import (
    Answer,
    Citation,
    CitedFigure,
    FigureReading,
    Rerun,
    Statement,
    StatementStatus,
    Usage,
)
from conspectus.records.answering import (
    AnswerKind,
    AskOptions,
    BibliographicQueries,
    Depth,
    Draft,
    Evidence,
    Opinion,
    Step,
    Verdict,
    names_answer,
)
from conspectus.records.audit import (
    REFERENCE_VERDICTS,
    AuditReport,
    LookUps,
    MentionedWork,
    MentionKind,
    ReferenceCheck,
    ReferenceVerdict,
)
from conspectus.records.consensus import (
    CONSENSUS_LEVELS,
    STANCES,
    Consensus,
    ConsensusLevel,
    Stance,
    StanceKind,
    Unjudged,
)
from conspectus.records.figures import (
    Crop,
    FigureCard,
    FigureHit,
    FigureResult,
    FigureWord,
    FoundFigure,
    FoundPanel,
    Measure,
    PictureKind,
)
from conspectus.records.filters import FACETS, Filters, facet_forms, facet_terms, keyword_forms, normal_name
from conspectus.records.paper import Author, KeyPhrase, Metadata, Paper, PaperDocument, PaperFile
from conspectus.records.parsed import (
    Block,
    BlockKind,
    Figure,
    FigureKind,
    Hidden,
    HiddenReason,
    Mark,
    MarkKind,
    ParsedPaper,
    Reference,
    Sentence,
)
from conspectus.records.passage import Cell, Passage, PassageKind, Place, Rect, Span, Summary, Use
from conspectus.records.reports import (
    AddReport,
    Backup,
    FileState,
    Finding,
    LedgerRow,
    SettingRow,
    Status,
    SummariseReport,
    Tried,
)
from conspectus.records.results import CitedWork, Hit, Outlying, SearchResult, Spelling, WordCount
from conspectus.records.routing import QUESTION_FLAGS, QUESTION_KINDS, QuestionFlag, QuestionKind, Routing, Suggestion
