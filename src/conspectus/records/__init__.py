"""The nouns of Conspectus: frozen, typed, without input or output."""

from conspectus.records.answer import (
    Answer,
    AnswerKind,
    AskOptions,
    BibliographicQueries,
    Citation,
    CitedFigure,
    Depth,
    Draft,
    Evidence,
    FigureReading,
    Opinion,
    Rerun,
    Statement,
    StatementStatus,
    Step,
    Usage,
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
from conspectus.records.parsed_paper import (
    LACKING,
    LEAST_SEARCHED,
    Block,
    BlockKind,
    Fate,
    Figure,
    FigureKind,
    Hidden,
    HiddenReason,
    LeftOut,
    Mark,
    MarkKind,
    PageAccount,
    ParsedPaper,
    Reference,
    Sentence,
    Share,
    describe_lacking,
)
from conspectus.records.passage import Cell, PaperParagraph, Passage, PassageKind, Place, Rect, Span, Summary, Use
from conspectus.records.publication_status import PublicationStatus
from conspectus.records.reports import (
    AddReport,
    Backup,
    DoctorReport,
    FileState,
    Finding,
    IndexReport,
    LedgerRow,
    SettingRow,
    SpaceRow,
    Status,
    SummariseReport,
    Tried,
)
from conspectus.records.results import (
    QUESTION_FLAGS,
    QUESTION_KINDS,
    CitedWork,
    Hit,
    Outlying,
    QuestionFlag,
    QuestionKind,
    Routing,
    SearchResult,
    Spelling,
    Suggestion,
    WordCount,
)
