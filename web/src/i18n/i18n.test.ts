import { expect, test } from "vitest";
import { fill, type Say } from ".";
import de from "./de.json";
import en from "./en.json";
import { translated } from "./translated";

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

test("what the server says is said in the page's language", () => {
  // The colours of the map would be explained in English, in the midst of German.
  const german: Say = (key, values) => fill(de[key], values);
  const english: Say = (key, values) => fill(en[key], values);
  expect(translated(german, "papers within about 3% of the map's width; only of 2010 and later")).toBe("Arbeiten im Umkreis von etwa 3 % der Kartenbreite; nur: ab 2010");
  expect(translated(german, "the 5 best hits for: papers by share; what?")).toBe("die 5 besten Treffer für: papers by share; what?");
  expect(translated(german, "share")).toBe("Anteil");
  expect(translated(german, "something else")).toBe("something else");
  const forms = Object.entries(en).filter(([key]) => key.startsWith("said."));
  for (const [, form] of forms) {
    const text = form.replace(/\{(\w+)\}/g, (_, hole) => ({ meaning: "score", span: "1990", unit: "papers" })[hole as string] ?? "7");
    expect(translated(english, text)).toBe(text);
    expect(translated(german, text)).not.toBe(text);
  }
});
