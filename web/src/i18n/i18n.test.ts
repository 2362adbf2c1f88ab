import { expect, test } from "vitest";
import { fill } from ".";
import de from "./de.json";
import en from "./en.json";

const holes = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name).sort();

test("each language has all words, with the same values in them", () => {
  // Else somebody would read English in the midst of German, or "{n}".
  expect(Object.keys(de).sort()).toEqual(Object.keys(en).sort());
  for (const [key, text] of Object.entries(en))
    expect(new Set(holes(de[key as keyof typeof de])), key).toEqual(new Set(holes(text)));
});

test("numbers choose their word", () => {
  const text = "{n|one paper|{n} papers} of {all}";
  expect(fill(text, { n: 1, all: 5 })).toBe("one paper of 5");
  expect(fill(text, { n: 2, all: "five" })).toBe("2 papers of five");
});
