import { expect, test } from "vitest";
import type { JobEvent } from "../../api/types";
import { fill, type Key } from "../../i18n";
import en from "../../i18n/en.json";
import { questionOf, describeEvent, progressShare, stateOf, linkOf } from "./jobTexts";

const t = (key: Key, values?: Record<string, string | number>) => fill(en[key], values);
const event = (more: object) => ({ job: "job-1", seq: 1, at: "2026-01-01T00:00:00Z", ...more }) as unknown as JobEvent;
const row = (verb: string, failed = 0) => ({ job: "job-1", verb, state: "done" as const, failed });

test("a job leads to what it made, and while it runs to where it can be watched", () => {
  // Else an answer that was made while somebody looked elsewhere could not be found again.
  expect(linkOf(row("ask"), event({ kind: "done", result: { id: "ans-7", question: "Why?" } }))).toBe("/ask/ans-7");
  expect(linkOf(row("ask"), event({ kind: "text", text: "…" }))).toBe("/ask?job=job-1");
  expect(linkOf(row("answers.rerun"), event({ kind: "done", result: { answer: { id: "ans-8" } } }))).toBe("/ask/ans-8");
  expect(linkOf(row("doctor"), event({ kind: "done", result: [] }))).toBe("");
  expect(questionOf(event({ kind: "done", result: { id: "ans-7", question: "Why?" } }))).toBe("Why?");
  expect(questionOf(event({ kind: "done", result: 3 }))).toBe("");
});

test("a job in which a file failed is not told as one that went well, and leads to why", () => {
  // Else who drops a picture among papers would be told in green that it was read.
  expect(stateOf(row("add"), t)).toEqual({ look: "done", text: "done" });
  expect(stateOf(row("add", 1), t)).toEqual({ look: "failed", text: "done, 1 failed" });
  expect(linkOf(row("add", 1), null)).toBe("/library/files");
  expect(linkOf(row("add"), null)).toBe("/library");
});

test("what is told is said in words, and how far it is", () => {
  // Else a row would say "progress", and for how long it goes on nobody would know.
  expect(describeEvent(event({ kind: "failed", error: { message: "No model.", hint: "Set one." } }), t)).toBe("No model. Set one.");
  expect(describeEvent(event({ kind: "found", passages: 1, papers: 2 }), t)).toBe("One passage of 2 papers found");
  expect(describeEvent(event({ kind: "file", outcome: "added", file: { path: "/x/a.pdf" } }), t)).toBe("a.pdf: added");
  expect(progressShare(event({ kind: "reading", done: 3, total: 12 }))).toEqual({ done: 3, total: 12 });
  expect(progressShare(event({ kind: "note", text: "." }))).toBeNull();
});
