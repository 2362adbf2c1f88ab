/** Settings as people look for them: six groups, in each those that most people change and, folded, the others. */
import type { Key } from "../../i18n";
import en from "../../i18n/en.json";
import { isChanged, type Row } from "./rows";

export const GROUPS = ["models", "appearance", "reading", "answers", "library", "server"] as const;
export type GroupName = (typeof GROUPS)[number];

/** By the part of a name before the dot, or by the whole name, which goes before. */
const GROUP_OF: Record<string, GroupName> = {
  ...{ language: "models", models: "models", budget: "models", "search.reranker": "models" },
  ...{ parse: "reading", passages: "reading", vocabulary: "reading" },
  ...{ search: "answers", answer: "answers", evidence: "answers", agent: "answers", consensus: "answers" },
  ...{ sources: "library", atlas: "library" },
  ...{ catalog: "server", index: "server" },
  ...{ "models.threads": "server", "models.store": "server", "language.threads": "server", "parse.workers": "server", "parse.memory": "server" },
};

/** What a setting is called for people; "": it is one of the advanced ones. */
export const labelOf = ({ name }: Row): Key | "" => (`setting.${name}` in en ? (`setting.${name}` as Key) : "");

export interface Group {
  name: GroupName;
  rows: Row[];
  advanced: Row[];
}

/** Which words of `en.json` come first is the order of the settings. */
const ORDER = Object.keys(en).filter((key) => key.startsWith("setting."));
const place = (row: Row) => ORDER.indexOf(`setting.${row.name}`);

/** The groups; what was changed is never folded away. */
export function groupRows(rows: readonly Row[]): Group[] {
  return GROUPS.map((name) => {
    const members = rows.filter((row) => (GROUP_OF[row.name] ?? GROUP_OF[row.name.split(".")[0] ?? ""] ?? "server") === name);
    const isShown = (row: Row) => !!labelOf(row) || isChanged(row);
    const basic = members.filter(isShown).toSorted((a, b) => (place(a) + 1 || ORDER.length + 1) - (place(b) + 1 || ORDER.length + 1));
    return { name, rows: basic, advanced: members.filter((row) => !isShown(row)) };
  });
}
