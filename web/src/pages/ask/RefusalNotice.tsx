/** Questions that ask for a count or a calculation: the papers that were counted instead, or where the page counts and exports. */
import { Link } from "wouter";
import { type Key, useWords } from "../../i18n";
import en from "../../i18n/en.json";
import { holesOf } from "../../i18n/translation";
import { Remedy } from "../../parts/Remedy";
import { MOST_K, USUAL_K } from "../search/searchState";
import { limits, type Options } from "./options";

interface Count {
  papers: number;
  words: string[];
  /** `2005..2015`, either end may be missing; "": any year. */
  year: string;
}

export type Refusal = { count: Count } | { text: Key };

const QUERY = /^`count (.+?)(?: year=(\S+))?`$/;

/** What a reason says of a question that is declined, by the server's wording (`answer/out_of_scope.py`); null: another reason. */
export function refusalOf(reason: string): Refusal | null {
  const counted = holesOf("said.counted", reason) ?? holesOf("said.counted_one", reason);
  const query = QUERY.exec(counted?.query ?? "");
  if (counted && query) return { count: { papers: Number(counted.n!.replaceAll(",", "")), words: query[1]!.split(" "), year: query[2] ?? "" } };
  if (holesOf("said.counting", reason)) return { text: "ask.counting" };
  // a count of the words of such a question may stand before it, and says nothing
  return reason.endsWith(en["said.calculating"]) ? { text: "ask.calculating" } : null;
}

/** The search that lists the papers counted: all of the words, in the years and under the filters of the question. */
export function searchOf({ papers, words, year }: Count, options?: Options): string {
  const params = new URLSearchParams({ q: words.map((word) => `"${word}"`).join(" AND ") });
  if (papers > USUAL_K) params.set("k", String(Math.min(papers, MOST_K)));
  for (const [name, value] of options ? limits({ ...options, among: [], year: "" }) : [])
    params.append(...((name === "full_text" ? ["full", value === "true" ? "1" : "0"] : [name, value]) as [string, string]));
  options?.among.forEach((paper) => params.append("among", paper));
  if (year) params.set("year", year);
  return `/search?${params}`;
}

export function RefusalNotice({ refusal, options }: { refusal: Refusal; options?: Options }) {
  const { t, language } = useWords();
  if ("text" in refusal) return <Remedy text={t(refusal.text)} />;
  const { papers, words, year } = refusal.count;
  const list = new Intl.ListFormat(language, { type: "conjunction" }).format(words.map((word) => t("ask.counted.word", { word })));
  return (
    <>
      {t(year ? "ask.counted.years" : "ask.counted", { n: papers, words: list, years: year.replace("..", "–") })}{" "}
      {papers > 0 && <Link href={searchOf(refusal.count, options)}>{t("ask.counted.show", { n: papers })}</Link>}
    </>
  );
}
