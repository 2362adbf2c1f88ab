import { expect, test } from "vitest";
import type { Mention, Passage } from "../api/types";
import type { Block } from "./lines";
import { placeMentions } from "./paperMentions";

const block = (text: string, ...ends: [number, number][]) =>
  ({ text, sentences: ends.map(([start, end]) => ({ start, end, places: [], recognised: false })) }) as unknown as Block;
/** Where the second sentence of a passage begins. */
const BEFORE = 100;
const passage = (spans: Record<string, string>) =>
  ({ id: "p.p1", spans: Object.entries(spans).map(([id, text], at) => ({ id, text, start: at * BEFORE, end: at * BEFORE + text.length })) }) as unknown as Passage;
const mention = (span_id: string, start: number, end: number, entity: string) =>
  ({ passage_id: "p.p1", span_id, start, end, text: "", entity, name: entity, vocabulary: "v", score: 1, method: "exact", others: [] }) as Mention;

test("words are marked where the paper has them, over the ends of its lines and behind letters of two halves", () => {
  // Other words would lead to the entity.
  const blocks = [block("𝛼 of\n  grid\ncells. Rats.", [0, 18], [19, 24]), block("Rats.", [0, 5])];
  const passages = [passage({ "p.s1": "𝛼 of grid cells.", "p.s2": "Rats." })];
  const stretches = placeMentions(blocks, passages, [mention("p.s1", 5, 15, "X:1"), mention("p.s2", BEFORE, BEFORE + 4, "X:2")]);
  const words = stretches.map(({ block, start, end }) => blocks[block]!.text.slice(start, end));
  expect(words).toEqual(["grid\ncells", "Rats", "Rats"]);
  expect(stretches.map((stretch) => stretch.isFirst)).toEqual([true, true, false]);
});

test("a mention whose sentence the page does not have is nowhere", () => {
  // A paper that was stored anew meanwhile would be marked anyhow.
  expect(placeMentions([block("Rats.", [0, 5])], [passage({ "p.s2": "Eels." })], [mention("p.s2", 0, 4, "X:2"), mention("p.s9", 0, 4, "X:2")])).toEqual([]);
});
