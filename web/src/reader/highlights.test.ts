import { expect, test } from "vitest";
import { readSelection, endsOf, select, wordsOf } from "./selectedText";
import { type Highlight, locateMarks } from "./highlights";
import type { Block } from "./lines";
import { formatQuote } from "./paper";

const sentence = (start: number, end: number, top?: number) => ({ start, end, places: top ? [{ page: 1, rect: [0, top, 9, top + 9] }] : [] });
const block = (text: string, sentences: object[], kind = "paragraph") => ({ text, kind, sentences, level: 0, label: "", marks: [] }) as unknown as Block;
const BLOCKS = [
  block("Grid cells fire. They map space.", [sentence(0, 16, 10), sentence(17, 32, 20)]),
  block("Figure 1", [sentence(0, 8, 30)], "caption"),
  block("So we think. They map space.", [sentence(0, 12, 40), sentence(13, 28, 50)]),
];

test("words that are selected are those of the paper, without the caption that lies between", () => {
  // Else a highlight would not be found, or have a figure's words in it.
  document.body.innerHTML = BLOCKS.map(
    ({ text }, at) => `<p data-block="${at}"><span data-start="0" data-end="5">${text.slice(0, 5)}</span><span data-start="5" data-end="${text.length}">${text.slice(5)}\n</span></p>`,
  ).join("");
  const texts = [...document.querySelectorAll("span")].map((node) => node.firstChild!);
  const range = document.createRange();
  range.setStart(texts[1]!, 12);
  range.setEnd(texts[5]!, 7);
  const ends = endsOf(range, document.body)!;
  expect(ends).toEqual([{ block: 0, at: 17 }, { block: 2, at: 12 }]);
  expect(wordsOf(BLOCKS, ...ends)).toEqual({ text: "They map space. So we think.", before: "Grid cells fire." });
  range.setStart(texts[0]!, 5);
  range.setEnd(texts[1]!, 11);
  expect(endsOf(range, document.body), "what is only touched is not selected").toEqual([{ block: 0, at: 5 }, { block: 0, at: 16 }]);
});

test("a cited sentence that is pressed is selected as if by hand", () => {
  // Else somebody has to drag exactly over a sentence that is lit already.
  const [first] = BLOCKS;
  document.body.innerHTML = `<p data-block="0"><span data-start="0" data-end="20">${first!.text.slice(0, 17)}<b>${first!.text.slice(17, 20)}</b></span><span data-start="20" data-end="32">${first!.text.slice(20)}</span></p>`;
  Range.prototype.getBoundingClientRect ??= () => new DOMRect();
  select(document.body, 0, 17, 32);
  expect(readSelection(document.body, BLOCKS)).toMatchObject({ text: "They map space.", before: "Grid cells fire." });
  select(document.body, 0, 0, 16);
  expect(readSelection(document.body, BLOCKS)!.text).toBe("Grid cells fire.");
});

test("a highlight is drawn where it stands, also where its words stand twice", () => {
  // Else another sentence with the same words would be coloured.
  const mark = (top: number) =>
    ({ id: "hl-1", sentences: [{ id: "s", start: 5, end: 8, text: "map" }], places: [{ page: 1, rect: [3, top, 5, top + 9] }] }) as unknown as Highlight;
  const findMarked = (top: number) => locateMarks([mark(top)], BLOCKS).map(({ block, start, end }) => [block, start, end]);
  expect(findMarked(20)).toEqual([[0, 22, 25]]);
  expect(findMarked(50)).toEqual([[2, 18, 21]]);
  expect(locateMarks([{ ...mark(20), sentences: [] }], BLOCKS)).toEqual([]);
});

test("what is copied has its citation, as text and as HTML", () => {
  // Else somebody who pastes a quotation has to look up where it is from.
  const paper = { id: "p", title: "Maps <in> the brain.", year: 2005, doi: "10.1/x", authors: ["Hafting", "Fyhn", "Moser"].map((family) => ({ family, name: family })) };
  const { text, html } = formatQuote(paper as never, "Cells fire", 2);
  expect(text).toBe("“Cells fire” (Hafting et al. 2005, p. 2). Maps <in> the brain. https://doi.org/10.1/x");
  expect(html).toContain("<i>Maps &lt;in> the brain.</i>");
  expect(formatQuote({ ...paper, doi: "", authors: [] } as never, "Cells fire").text).toBe("“Cells fire” (Maps <in> the brain. 2005). Maps <in> the brain.");
});
