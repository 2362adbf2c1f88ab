/** Filters of papers of which several values may hold, any of them: a new one is added here, and named in `i18n`. */
export const PAPER_FILTERS = ["venue", "author", "keyword", "language", "tag", "collection"] as const;
export type PaperFilter = (typeof PAPER_FILTERS)[number];
