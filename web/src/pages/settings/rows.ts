/** Settings by groups, those that were changed first; the ones that fit words. */
import { Problem } from "../../api/client";
import type { components } from "../../api/schema";

export type Row = components["schemas"]["SettingRow"];

export const isChanged = (row: Row) => row.origin !== "default";
/** Whether the library's file decides: a flag, the environment, goes before it. */
export const isOfFile = (row: Row) => !isChanged(row) || row.origin.endsWith(".toml");

/** What says that a value was not taken: it stands at its field. */
export const refusal = (error: Error | null) => (error instanceof Problem && error.kind === "SettingsError" ? error : null);

/** All rows, those that are others now in their new state. */
export const replaced = (rows: readonly Row[], others: readonly Row[]) => rows.map((row) => others.find((one) => one.name === row.name) ?? row);

/** Those whose name, meaning or value has all the words. */
export function fitting(rows: readonly Row[], words: string): Row[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = `${row.name} ${row.doc} ${row.value}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** By the group in their names, in the order they come; in each the changed ones first. */
export function groups(rows: readonly Row[]): [string, Row[]][] {
  const found = new Map<string, Row[]>();
  for (const row of [...rows.filter(isChanged), ...rows.filter((one) => !isChanged(one))]) {
    const group = row.name.split(".")[0] ?? "";
    found.set(group, [...(found.get(group) ?? []), row]);
  }
  return [...found];
}

/** What was typed, as the setting's own kind; null: as if it were not set. */
export function typed(row: Row, text: string): string | number | boolean | null {
  if (typeof row.default === "boolean") return text === "true";
  if (typeof row.default === "number") return text.trim() === "" ? null : Number.isNaN(Number(text)) ? text : Number(text);
  return text;
}
