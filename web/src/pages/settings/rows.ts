/** Settings as the server lists them: changed ones, those that fit words, what is typed into them. */
import { Problem } from "../../api/client";
import type { components } from "../../api/schema";
import type { Translate } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { labelOf } from "./groups";

export type Row = components["schemas"]["SettingRow"];

export const isChanged = (row: Row) => row.origin !== "default";
/** Whether the library's file decides: a flag, the environment, goes before it. */
export const isOfFile = (row: Row) => !isChanged(row) || row.origin.endsWith(".toml");

/** What says that a value was not taken: it stands at its field. */
export const refusal = (error: Error | null) => (error instanceof Problem && error.kind === "SettingsError" ? error : null);

/** All rows, those that are others now in their new state. */
export const replaceRows = (rows: readonly Row[], others: readonly Row[]) => rows.map((row) => others.find((other) => other.name === row.name) ?? row);

/** What a setting means, as a sentence. */
export const sentence = (text: string) => (text ? text[0]!.toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");

/** Those whose names, meaning or value have all the words. */
export function filterRows(rows: readonly Row[], words: string, t: Translate): Row[] {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const key = labelOf(row);
    const text = [row.name, key && t(key), row.doc, translateText(t, row.doc), row.value].join(" ").toLowerCase();
    return terms.every((word) => text.includes(word));
  });
}

/** What was typed, as the setting's own kind; null: as if it were not set. */
export function parseValue(row: Row, text: string): string | number | boolean | null {
  if (typeof row.default === "boolean") return text === "true";
  if (typeof row.default === "number") return text.trim() === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}
