/** Where in a paper's blocks entities are spoken of. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { get } from "../api/call";
import { address } from "../api/client";
import type { Mention, Passage } from "../api/types";
import { by, keyOf, useIsLinked } from "../parts/entities";
import type { Block } from "./lines";

/** Words of a block that speak of an entity: `block.text.slice(start, end)`. */
export interface PlacedMention {
  block: number;
  start: number;
  end: number;
  mention: Mention;
  /** The first of its entity in the paper. */
  isFirst: boolean;
}

const HOUR = 3_600_000;
const NONE: never[] = [];

/** How a paper's passages are asked for. */
export const passagesOf = (paper: string) => ({
  queryKey: ["passages", paper],
  staleTime: HOUR,
  queryFn: () => get<{ passages: Passage[] }>(address(`/papers/${encodeURIComponent(paper)}/passages`)),
});

/** What a paper speaks of, and where its blocks do; `enabled`: once there is time for it. */
export function usePaperMentions(paper: string, blocks: Block[], enabled: boolean) {
  const isLinked = useIsLinked();
  const mentions = useQuery({
    queryKey: ["mentions", "paper", paper],
    enabled: enabled && isLinked,
    queryFn: async ({ signal }) => (await get<{ mentions: Mention[] }>(address(`/papers/${encodeURIComponent(paper)}/mentions`), signal)).mentions,
  }).data;
  const passages = useQuery({ ...passagesOf(paper), enabled: !!mentions?.length }).data?.passages;
  const spoken = useMemo(() => (mentions && passages ? placeMentions(blocks, passages, mentions) : NONE), [blocks, passages, mentions]);
  return { mentions: mentions ?? NONE, spoken };
}

/** Mentions in the blocks whose sentences are those spoken in, in reading order. */
export function placeMentions(blocks: Block[], passages: readonly Pick<Passage, "id" | "spans">[], mentions: readonly Mention[]): PlacedMention[] {
  const inSpans = by((mention) => mention.span_id, mentions);
  const starts = new Map(passages.flatMap((passage) => passage.spans.map((span) => [`${passage.id} ${span.id}`, span.start] as const)));
  const texts = new Map(passages.flatMap((passage) => passage.spans.map((span) => [span.id, span.text] as const)));
  const byText = new Map([...inSpans].map(([id, list]) => [bare(texts.get(id) ?? ""), { text: texts.get(id) ?? "", list }]));
  const seen = new Set<string>();
  return blocks.flatMap((block, number) => {
    const letters = Array.from(block.text); // offsets count characters, and those of the browser halves of some
    return block.sentences.flatMap((sentence) => {
      const sentenceLetters = letters.slice(sentence.start, sentence.end);
      const { text, list } = byText.get(bare(sentenceLetters.join(""))) ?? { text: "", list: NONE };
      return list.map((mention) => {
        const before = starts.get(`${mention.passage_id} ${mention.span_id}`) ?? 0; // a mention's offsets are in its passage
        const [first, last] = [mention.start, mention.end - 1].map((at) => sentence.start + nth(sentenceLetters, blackBefore(text, at - before)));
        const start = letters.slice(0, first).join("").length;
        const end = start + letters.slice(first, last! + 1).join("").length;
        const isFirst = !seen.has(keyOf(mention));
        seen.add(keyOf(mention));
        return { block: number, start, end, mention, isFirst };
      });
    });
  });
}

/** A block has its line ends, of which a sentence that is searched has none. */
const bare = (text: string) => text.replace(/\s+/g, "");
const isBlack = (letter: string) => /\S/.test(letter);
const blackBefore = (text: string, at: number) => Array.from(text).slice(0, at).filter(isBlack).length;

/** Where the n-th letter that is no white space stands. */
function nth(letters: string[], n: number): number {
  let left = n;
  return letters.findIndex((letter) => isBlack(letter) && left-- === 0);
}
