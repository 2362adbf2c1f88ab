/** How a question is to be answered, as it stands in the address, in the panel and in `POST /ask`. */
import type { Question, SavedAnswer } from "../../api/types";
import { PAPER_FILTERS, type PaperFilter } from "../../parts/filters";

/** By what papers are limited; `language` is that of the answer here. */
type Limit = Exclude<PaperFilter, "language">;
const LIMITS = PAPER_FILTERS.filter((name): name is Limit => name !== "language");

export interface Options extends Record<Limit, string[]> {
  kind: "multi" | "single" | "nuanced" | "bibliometric";
  depth: "quick" | "standard" | "thorough";
  level: string;
  language: string;
  /** `2005..2015`, either end may be missing. */
  year: string;
  /** Only these papers, by their ids. */
  among: string[];
  full_text: "" | "true" | "false";
  model: string;
  second_opinion: string;
  use: "" | "raw" | "summary" | "both";
  /** By what papers are preferred, and how that is applied. */
  weight: string[];
  weighting: "" | "additive" | "published";
  auto: boolean;
  agent: boolean;
  strict: boolean;
  background: boolean;
  read_figures: boolean;
  /** Ask the model also what it has answered before. */
  fresh: boolean;
}

export const USUAL: Options = {
  kind: "multi",
  depth: "standard",
  level: "",
  language: "",
  year: "",
  ...(Object.fromEntries(LIMITS.map((name) => [name, []])) as unknown as Record<Limit, string[]>),
  among: [],
  full_text: "",
  model: "",
  second_opinion: "",
  use: "",
  weight: [],
  weighting: "",
  auto: false,
  agent: false,
  strict: false,
  background: false,
  read_figures: false,
  fresh: false,
};
type Name = keyof Options;
export const NAMES = Object.keys(USUAL) as Name[];
const CHOICES: Partial<Record<Name, readonly string[]>> = {
  kind: ["multi", "single", "nuanced", "bibliometric"],
  depth: ["quick", "standard", "thorough"],
  full_text: ["", "true", "false"],
  use: ["", "raw", "summary", "both"],
  weight: ["keywords", "recency", "citations"],
  weighting: ["", "additive", "published"],
};

/** What an address says; what it says wrongly is as usual. */
export function fromAddress(search: URLSearchParams): Options {
  const options: Record<string, unknown> = { ...USUAL };
  for (const name of NAMES) {
    const value = search.get(name) ?? "";
    if (Array.isArray(USUAL[name])) options[name] = search.getAll(name).filter((choice) => choice && (CHOICES[name]?.includes(choice) ?? true));
    else if (typeof USUAL[name] === "boolean") options[name] = value === "1";
    else if (value && (CHOICES[name]?.includes(value) ?? true)) options[name] = value;
  }
  return options as unknown as Options;
}

/** Names of what is otherwise than usual. */
export const changedNames = (options: Options): Name[] =>
  NAMES.filter((name) => String(options[name]) !== String(USUAL[name]));

/** What limits a question to some papers, each value by itself. */
export const limits = (options: Options): [Name, string][] =>
  LIMITS.flatMap((name) => options[name].map((value): [Name, string] => [name, value]))
    .concat(options.among.length ? [["among", String(options.among.length)]] : [])
    .concat((["year", "full_text"] as const).filter((name) => options[name]).map((name) => [name, options[name]]));

/** The options without one of `limits`. */
export function removeLimit(options: Options, name: Name, value: string): Options {
  const before = options[name];
  return { ...options, [name]: Array.isArray(before) && name !== "among" ? before.filter((entry) => entry !== value) : USUAL[name] };
}

/** The options in an address: only those that are otherwise than usual, instead of those that stood there. */
export function toAddress(options: Options, search = new URLSearchParams()): URLSearchParams {
  const after = new URLSearchParams(search);
  NAMES.forEach((name) => after.delete(name));
  for (const name of changedNames(options)) {
    const value = options[name];
    if (Array.isArray(value)) value.forEach((entry) => after.append(name, entry));
    else after.set(name, value === true ? "1" : String(value));
  }
  return after;
}

/** The body of `POST /ask`. */
export function questionBody(question: string, options: Options, conversation = ""): Question {
  const chosenOptions = Object.fromEntries(changedNames(options).map((name) => [name, options[name]])) as Partial<Options>;
  const { fresh, full_text, ...others } = chosenOptions;
  return {
    question: question.trim(),
    ...others,
    ...(fresh ? { cache: false } : {}),
    ...(full_text ? { full_text: full_text === "true" } : {}),
    ...(conversation ? { conversation } : {}),
  } as Question;
}

/** How a kept answer was asked for: what a follow-up begins with. */
export function optionsOfAnswer(saved: Pick<SavedAnswer, "options" | "filters">): Options {
  const { options, filters } = saved;
  const usual = fromAddress(new URLSearchParams());
  const [first, last] = (filters.year ?? [null, null]) as [number | null, number | null];
  const knownOptions = Object.fromEntries(
    Object.entries({ ...filters, ...options }).filter(([name]) => NAMES.includes(name as Name)),
  );
  return {
    ...usual,
    ...(knownOptions as Partial<Options>),
    language: options.language ?? "",
    year: first || last ? `${first ?? ""}..${last ?? ""}` : "",
    full_text: filters.full_text === null || filters.full_text === undefined ? "" : filters.full_text ? "true" : "false",
    fresh: false,
  };
}

/** `2005` and `2015` as `2005..2015`. */
export const years = (first: string, last: string) => (first || last ? (first === last ? first : `${first}..${last}`) : "");

/** `2005..2015` as its ends. */
export function splitYears(year: string): [string, string] {
  const [first = "", last] = year.split("..");
  return [first, last ?? first];
}
