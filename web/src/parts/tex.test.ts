import { expect, test } from "vitest";
import { cutText, cutReadableText } from "../reader/lines";
import CASES from "../../../tests/lexicon/tex_cases.json";
import { tex } from "./tex";

test.each(CASES as [string, string][])("%s is readable", (text, expected) => {
  // Else a title is source text here, and reads otherwise than on the command line.
  expect(tex(text)).toBe(expected);
});

test("a sentence that ends within a formula lights it whole, and other offsets stay", () => {
  // Else the wrong words are lit, or a highlight is kept at another place.
  const text = "A mass of $M_\\odot$ is large. Next.";
  const pieces = cutReadableText(text, [{ start: 2, end: 14, name: "lit" }]);
  expect(pieces.map(({ text, names }) => [text, names.join()])).toEqual([
    ["A ", ""],
    ["mass of ", "lit"],
    ["M⊙", "lit"],
    [" is large. Next.", ""],
  ]);
  for (const { start, end, isTex, text: readable } of pieces) if (!isTex) expect(text.slice(start, end)).toBe(readable);
  expect(cutReadableText("no TeX", [{ start: 3, end: 6, name: "lit" }]).map((piece) => piece.text)).toEqual(cutText("no TeX", [{ start: 3, end: 6, name: "lit" }]).map((piece) => piece.text));
});
