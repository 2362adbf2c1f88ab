/** What the server says in words, in the page's language: English has it as the server says it, under `said.…`. */
import type { Key, Say } from ".";
import en from "./en.json";

/** Holes whose words are the server's, too; those of others are a user's. */
const OWN = ["meaning", "span", "unit"];
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

/** The first form that a text has, in the page's language; a text of none stays as it is. */
export function translated(t: Say, text: string): string {
  for (const { key, holes, pattern } of FORMS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const words = holes.map((hole, at) => [hole, OWN.includes(hole) ? translated(t, found[at + 1]!) : found[at + 1]!]);
    return t(key, Object.fromEntries(words) as Record<string, string>);
  }
  return text;
}
