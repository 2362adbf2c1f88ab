/** What jobs tell, in a line each, and where their results are to be seen. */
import type { JobEvent, JobRow } from "../../api/types";
import type { Key, Translate } from "../../i18n";

const VERBS: Record<string, Key> = {
  ask: "activity.ask",
  "answers.rerun": "activity.rerun",
  add: "activity.add",
  "samples.add": "activity.add",
  consensus: "activity.consensus",
  summarise: "activity.summarise",
  reindex: "activity.reindex",
  mend: "activity.doctor",
  "map.build": "activity.map",
  "map.names": "activity.region_names",
  "graph.link": "activity.link",
  "graph.relate": "activity.relate",
  "vocabularies.add": "activity.vocabulary",
  "vocabularies.learn": "activity.learn",
  "figures.encode": "activity.figures",
  "images.map": "activity.images",
  measure_self: "activity.evaluate",
  try_models: "activity.try_models",
  "sources.find": "activity.find_online",
  "sources.add": "activity.add_online",
  "sources.enrich": "activity.enrich",
  "sources.follow": "activity.follow",
  "sources.news": "activity.news",
  "zotero.import_items": "zotero.importing",
  "zotero.export": "zotero.write",
  "directions.build": "directions.building",
  "directions.hypotheses": "hypotheses.doing",
  "vocabularies.fetch": "activity.vocabulary",
  "models.connect": "connect.testing",
  "review.rank": "reviews.rank.running",
  "review.classify": "reviews.classify.running",
  "review.table": "reviews.table.running",
  "review.report": "reviews.report.running",
};

/** What a job does; one that is not known here by its own name. */
export const verbOf = (verb: string, t: Translate): string => {
  const key = VERBS[verb];
  return key ? t(key) : verb;
};

/** How a job is: done is not well where something in it failed. */
export const stateOf = ({ state, failed }: JobRow, t: Translate): { look: JobRow["state"]; text: string } =>
  failed ? { look: "failed", text: t("activity.done_but", { n: failed }) } : { look: state, text: t(`state.${state}`) };

/** An event in words; "" for those that say nothing to a reader. */
export function describeEvent(event: JobEvent, t: Translate): string {
  switch (event.kind) {
    case "progress":
      return [event.stage, event.detail].filter(Boolean).join(": ");
    case "note":
    case "text":
      return event.text;
    case "file": {
      const path = (event.file as { path?: string } | undefined)?.path ?? event.path ?? "";
      return `${path.split("/").at(-1)}: ${t(`activity.file_${event.outcome}` as Key)}`;
    }
    case "searching":
      return t("activity.searching", { question: event.question });
    case "found":
      return t("activity.found", { passages: event.passages, papers: event.papers });
    case "reading":
      return t("activity.reading", { done: Number(event.done), total: Number(event.total) });
    case "claim":
      return event.claim;
    case "stance":
      return `${event.stance.label}: ${t(`stance.${event.stance.stance.replaceAll(" ", "_")}` as Key)}`;
    case "evidence":
    case "statement":
      return event.kind === "statement" ? event.statement.text : t("activity.evidence");
    case "failed":
      return [event.error.message, event.error.hint].filter(Boolean).join(" ");
    default:
      return "";
  }
}

/** How far, of what tells it. */
export function progressShare(event: JobEvent | null | undefined): { done: number; total: number; unit?: string } | null {
  if (event?.kind === "progress") return { done: event.done, total: event.total, unit: event.unit };
  if (event?.kind === "reading") return { done: Number(event.done), total: Number(event.total) };
  return null;
}

/** What a job was about, as its result says it. */
export function questionOf(event: JobEvent | null | undefined): string {
  if (event?.kind !== "done" || !event.result || typeof event.result !== "object") return "";
  const { question, answer } = event.result as { question?: string; answer?: { question?: string } };
  return question ?? answer?.question ?? "";
}

/** Where a job, or what it gave, is to be seen. */
export function linkOf({ job, verb, failed }: JobRow, event: JobEvent | null | undefined): string {
  const result = (event?.kind === "done" ? event.result : null) as { id?: string; answer?: { id?: string } } | null;
  switch (verb) {
    case "ask":
      return result?.id ? `/ask/${result.id}` : `/ask?job=${job}`;
    case "answers.rerun":
      return result?.answer?.id ? `/ask/${result.answer.id}` : "";
    case "consensus":
      return `/consensus?job=${job}`;
    case "summarise":
      return `/summaries?job=${job}`;
    case "add":
    case "samples.add":
      return failed ? "/library/files" : "/library";
    case "sources.find":
      return `/library/online?job=${job}`;
    case "sources.add":
      return `/library/online?adding=${job}`;
    case "sources.enrich":
      return `/library?completing=${job}`;
    case "sources.follow":
      return "/library/news";
    case "sources.news":
      return `/library/news?job=${job}`;
    case "zotero.import_items":
      return `/library/zotero?job=${job}`;
    case "zotero.export":
      return `/library?writing=${job}`;
    case "measure_self":
      return `/evaluation?job=${job}`;
    default:
      return "";
  }
}
