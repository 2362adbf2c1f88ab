/** What is selected in the reader: which words of the paper, and where they stand on the screen. */
import type { Block } from "./lines";

/** A place in the text of a block. */
export interface Spot {
  block: number;
  at: number;
}

export interface SelectedText {
  text: string;
  /** The words before it, by which it is told from the same words elsewhere. */
  before: string;
  page?: number;
  box: DOMRect;
}

const LEAST = 3;
const AROUND = 60;
/** Blocks that lie within a selection of paragraphs, and are no part of what is read. */
const BETWEEN = new Set<Block["kind"]>(["caption", "footnote", "heading", "reference"]);

/** From where to where a selection reaches: each part of the text has `data-start` and `data-end` in its `data-block`. */
export function endsOf(range: Range, within: HTMLElement): [Spot, Spot] | null {
  const parts = [...within.querySelectorAll<HTMLElement>("[data-start]")].filter((part) => range.intersectsNode(part));
  const spots = parts.map((part): [Spot, Spot] => {
    const block = Number(part.closest<HTMLElement>("[data-block]")?.dataset.block);
    const start = Number(part.dataset.start);
    const end = Number(part.dataset.end);
    const at = (node: Node, offset: number) => {
      const before = document.createRange();
      before.selectNodeContents(part);
      before.setEnd(node, offset);
      return Math.min(end, start + before.toString().length);
    };
    if (part.dataset.tex) return [{ block, at: start }, { block, at: end }]; // a formula is chosen whole
    const from = part.contains(range.startContainer) ? at(range.startContainer, range.startOffset) : start;
    const to = part.contains(range.endContainer) ? at(range.endContainer, range.endOffset) : end;
    return [{ block, at: from }, { block, at: to }];
  });
  const chosen = spots.filter(([from, to]) => from.at < to.at);
  return chosen.length ? [chosen[0]![0], chosen.at(-1)![1]] : null;
}

/** Select the words of a block from one place to another, as far as they are on the screen. */
export function select(within: HTMLElement, block: number, start: number, end: number) {
  const parts = [...within.querySelectorAll<HTMLElement>("[data-start]")].filter(
    (part) => Number(part.closest<HTMLElement>("[data-block]")?.dataset.block) === block && Number(part.dataset.start) < end && start < Number(part.dataset.end),
  );
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return;
  const range = document.createRange();
  range.selectNodeContents(first);
  range.setEnd(last, last.childNodes.length);
  const from = spotIn(first, start - Number(first.dataset.start));
  const to = spotIn(last, end - Number(last.dataset.start));
  if (from) range.setStart(...from);
  if (to) range.setEnd(...to);
  const selection = document.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** Where so many characters into a part are; null: at its edge, or in a formula, which is chosen whole. */
function spotIn(part: HTMLElement, at: number): [Node, number] | null {
  if (part.dataset.tex || at <= 0) return null;
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let left = at; texts.nextNode(); left -= texts.currentNode.textContent!.length)
    if (left <= texts.currentNode.textContent!.length) return [texts.currentNode, left];
  return null;
}

/** The words from one place to another, and those before them. */
export function wordsOf(blocks: readonly Block[], from: Spot, to: Spot): Pick<SelectedText, "text" | "before"> {
  const parts = [];
  for (let at = from.block; at <= to.block; at++) {
    const { text, kind } = blocks[at]!;
    if (at > from.block && at < to.block && BETWEEN.has(kind)) continue;
    parts.push(text.slice(at === from.block ? from.at : 0, at === to.block ? to.at : undefined));
  }
  const blockStart = blocks[from.block]!.text.slice(0, from.at);
  const before = `${blocks[from.block - 1]?.text.slice(-AROUND) ?? ""} ${blockStart}`.slice(-AROUND);
  return { text: plain(parts.join(" ")), before: plain(before) };
}

const plain = (text: string) => text.replace(/\s+/g, " ").trim();

/** What is selected within an element that shows the blocks; null: nothing, or not there. */
export function readSelection(within: HTMLElement | null, blocks: readonly Block[]): SelectedText | null {
  const selection = document.getSelection();
  const selected = plain(selection?.toString() ?? "");
  if (!within || !selection?.rangeCount || selected.length < LEAST || !within.contains(selection.anchorNode)) return null;
  const range = selection.getRangeAt(0);
  const ends = endsOf(range, within);
  const isShown = ends && blocks[ends[0].block] && blocks[ends[1].block] && ends[0].block <= ends[1].block;
  const words = isShown ? wordsOf(blocks, ...ends) : { text: selected, before: "" };
  const start = range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement;
  const page = Number(start?.closest<HTMLElement>("[data-page]")?.dataset.page) || undefined;
  return { ...words, text: words.text || selected, page, box: range.getBoundingClientRect() };
}
