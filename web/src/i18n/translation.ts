/** What the server says in words, in the page's language: English has it as the server says it, under `said.…`. */
import type { Overlay } from "../api/types";
import type { Key, Translate } from ".";
import en from "./en.json";

/** Holes whose words are the server's, too; those of others are a user's. */
const TRANSLATED_HOLES = ["index", "meaning", "reason", "span", "thing", "unit"];
/** Holes that are numbers, written as the page's language does. */
const COUNTS = ["all", "mb", "n", "papers", "summaries"];
const letters = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

interface Form {
  key: Key;
  holes: string[];
  pattern: RegExp;
}
const FORMS = (Object.keys(en) as Key[])
  .filter((key) => key.startsWith("said."))
  .map((key): Form => {
    const parts = en[key].split(/\{(\w+)\}/); // words and holes by turns
    const pattern = parts.map((part, at) => (at % 2 ? "(.+)" : letters(part))).join("");
    return { key, holes: parts.filter((_, at) => at % 2), pattern: new RegExp(`^${pattern}$`, "s") };
  });

/** What stands in the holes of a form, if the text has this form. */
export function holesOf(key: Key, text: string): Record<string, string> | null {
  const form = FORMS.find((form) => form.key === key);
  const match = form?.pattern.exec(text);
  return form && match ? Object.fromEntries(form.holes.map((hole, at) => [hole, match[at + 1]!])) : null;
}

/** The first form that a text has, in the page's language; a text of none stays as it is. */
export function translateText(t: Translate, text: string): string {
  for (const { key, holes, pattern } of FORMS) {
    const match = pattern.exec(text);
    if (!match) continue;
    return t(key, Object.fromEntries(holes.map((hole, at) => [hole, fillHole(t, hole, match[at + 1]!)])));
  }
  return text;
}

function fillHole(t: Translate, hole: string, words: string): string | number {
  if (TRANSLATED_HOLES.includes(hole)) return translateText(t, words);
  const count = Number(words.replaceAll(",", ""));
  return COUNTS.includes(hole) && !Number.isNaN(count) ? count : words;
}

/** An overlay in the words of the page's language; names, and what a user wrote, stay. */
export function translateOverlay(t: Translate, overlay: Overlay): Overlay {
  const say = (text: string) => translateText(t, text);
  const category = (name: string) => (name === "other" ? say(name) : name);
  return {
    ...overlay,
    legend: { ...overlay.legend, meaning: say(overlay.legend.meaning), unit: say(overlay.legend.unit) },
    categories: overlay.categories.map(category),
    regions: overlay.regions.map((region) => ({ ...region, category: category(region.category) })),
    modes: overlay.modes && { ...overlay.modes, method: say(overlay.modes.method) },
    notes: overlay.notes.map(say),
  };
}
