/** The records of the API by their names. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Paper = Schemas["Paper"];
export type Answer = Schemas["Answer"];
export type Statement = Schemas["Statement"];
export type Citation = Schemas["Citation"];
export type Evidence = Schemas["Evidence"];
export type CitedFigure = Schemas["CitedFigure"];
export type Span = Schemas["Span"];
export type Place = Schemas["Place"];
export type Consensus = Schemas["Consensus"];
export type Stance = Schemas["Stance"];
export type Question = Schemas["Question"];
export type SavedAnswer = Schemas["AnswersShowResult"];
export type AnswerRow = Schemas["AnswerRow"];
export type Conversation = Schemas["Conversation"];
export type ConversationWithAnswers = Schemas["ConversationWithAnswers"];
export type Rerun = Schemas["Rerun"];
export type Routing = Schemas["Routing"];
export type Step = Schemas["Step"];
export type Feedback = Schemas["Feedback"];
export type Draft = Schemas["Draft"];
export type Hit = Schemas["Hit"];
export type SearchResult = Schemas["SearchResult"];
export type FigureResult = Schemas["FigureResult"];
export type FigureHit = Schemas["FigureHit"];
export type Subgraph = Schemas["GraphShowResult"];
export type Entity = Schemas["Entity"];
export type Edge = Schemas["Edge"];
export type Concept = Schemas["ConceptHit"];
export type Mention = Schemas["EntityMention"];
export type Discovery = Schemas["GraphDiscoverResult"];
export type CitationGraph = Schemas["SourcesGraphResult"];
export type CitationNode = Schemas["CitationNode"];
export type Hypothesis = Schemas["Hypothesis"];
export type NewEntity = Schemas["NewEntity"];
export type EntityMerge = Schemas["EntityMerge"];
export type NameRule = Schemas["NameRule"];
export type NeededModel = Schemas["NeededModel"];
export type DirectionList = Schemas["DirectionList"];
export type DirectionMatch = Schemas["DirectionMatch"];
export type DirectionReport = Schemas["DirectionsShowResult"];
export type DirectionText = Schemas["DirectionText"];
export type DirectionComparison = Schemas["DirectionsCompareResult"];
export type AssociationReport = Schemas["DirectionsPredictResult"];
export type SimilarityReport = Schemas["DirectionsExplainResult"];
export type HypothesisLead = Schemas["HypothesisLead"];
export type HypothesisReport = Schemas["HypothesisReport"];
export type TestableHypothesis = Schemas["TestableHypothesis"];
export type Vocabulary = Schemas["Vocabulary"];
export type KnownVocabulary = Schemas["KnownVocabulary"];
export type Passage = Schemas["Passage"];
/** How many papers there are of each, for what is counted. */
export type Facets = Partial<Omit<FacetsResult, "schema" | "papers" | "best">>;
export type FacetsResult = Schemas["FacetsResult"];
export type Value = Schemas["PaperCounts"];
export type LedgerRow = Schemas["LedgerRow"];
export type Status = Schemas["StatusResult"];
export type Finding = Schemas["Finding"];
export type PaperSet = Schemas["PaperSet"];
export type Note = Schemas["PaperNote"];
export type Edit = Schemas["Edit"];
export type Removal = Schemas["Removal"];
export type PaperCuration = Schemas["KeptOfPaper"];
export type MapHead = Schemas["MapShowResult"];
export type MapRegion = Schemas["Region"];
export type MapText = Schemas["MapText"];
export type Overlay = Schemas["MapOverlayResult"];
export type Topic = Schemas["Topic"];
export type Gap = Schemas["Gap"];
export type GapList = Schemas["MapGapsResult"];
export type GapPattern = Schemas["GapPattern"];
export type Trend = Schemas["MapTrendsResult"];
export type OnlineWork = Schemas["FoundWork"];
export type OnlineResults = Schemas["OnlineResults"];
export type AddedWorks = Schemas["AddedWorks"];
export type ZoteroStatus = Schemas["ZoteroStatusResult"];
export type ZoteroExport = Schemas["ZoteroExport"];
export type EnrichReport = Schemas["EnrichReport"];
export type StoredReview = Schemas["Review"];
export type FormattedReference = Schemas["FormattedReference"];
export type ReviewTable = Schemas["ReviewTableShowResult"];
export type TableCell = Schemas["TableCell"];
export type TableColumn = Schemas["TableColumn"];
export type PaperRow = Schemas["PaperRow"];
export type Classification = Schemas["ReviewClassifyShowResult"];
export type ClassificationCheck = Schemas["ReviewClassifyCheckResult"];
export type LabelImport = Schemas["ReviewScreenImportResult"];
export type Screening = Schemas["ReviewScreenNextResult"];
export type PrismaCounts = Schemas["ReviewScreenPrismaResult"];
export type Ranking = Schemas["ReviewRankShowResult"];
export type RankPair = Schemas["ReviewRankNextResult"];
export type PairVerdict = Schemas["PairVerdict"];
export type Report = Schemas["ReviewReportShowResult"];
export type ReportSection = Schemas["ReportSection"];
export type ContradictionReport = Schemas["Contradictions"];
export type Contradiction = Schemas["Contradiction"];
export type ServiceReport = Schemas["ServiceReport"];

export type JobState = "running" | "done" | "failed" | "cancelled";
export interface JobRow {
  job: string;
  verb: string;
  state: JobState;
  /** Of one that is done: its files, papers … that failed. */
  failed: number;
}

interface EventBase {
  job: string;
  seq: number;
  at: string;
}
export interface Failure {
  type: string;
  message: string;
  hint: string;
  retry: boolean;
  status: number;
}
/** What a job tells (`wire/events.py`). */
export type JobEvent = EventBase &
  (
    | { kind: "started"; verb: string }
    | { kind: "progress"; stage: string; done: number; total: number; unit?: string; [more: string]: unknown }
    | { kind: "note"; text: string }
    | { kind: "file"; path: string; outcome: string; [more: string]: unknown }
    | { kind: "searching"; question: string }
    | { kind: "found"; passages: number; papers: number }
    | { kind: "reading"; done: number; total: number }
    | { kind: "evidence"; evidence: Evidence }
    | { kind: "step"; step: Step }
    | { kind: "text"; text: string; fresh?: boolean }
    | { kind: "citation"; citation: Citation }
    | { kind: "statement"; statement: Statement }
    | { kind: "answer"; answer: Answer }
    | { kind: "claim"; claim: string }
    | { kind: "stance"; stance: Stance }
    | { kind: "consensus"; consensus: Consensus }
    | { kind: "part"; part: unknown }
    | { kind: "done"; result: unknown }
    | { kind: "failed"; error: Failure }
    | { kind: "cancelled" }
    | { kind: "reset" }
  );
export type JobEventOf<K extends JobEvent["kind"]> = Extract<JobEvent, { kind: K }>;
