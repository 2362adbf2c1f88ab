import { expect, test } from "vitest";
import { fill, type Translate } from ".";
import de from "./de.json";
import en from "./en.json";
import { translateText } from "./translation";

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
  const german: Translate = (key, values) => fill(de[key], values);
  const english: Translate = (key, values) => fill(en[key], values);
  expect(translateText(german, "papers within about 3% of the map's width; only of 2010 and later")).toBe("Arbeiten im Umkreis von etwa 3 % der Kartenbreite; nur: ab 2010");
  expect(translateText(german, "the 5 best hits for: papers by share; what?")).toBe("die 5 besten Treffer für: papers by share; what?");
  expect(translateText(german, "share")).toBe("Anteil");
  // the reason why a question has no answer would be English, which is all that the page then has to say
  expect(translateText(german, "The question asks for a number, but no sentence that was read has one.")).toBe(
    "Die Frage verlangt eine Zahl, aber kein gelesener Satz enthält das.",
  );
  const read = "I cannot answer this from the library. 9 passages of 3 papers were read; none bear on it. The question may be outside what the library is about. It was also searched for: “a”.";
  expect(translateText(german, `${read} Papers on this would help (\`add FILES…\`), or another wording, or \`depth=thorough\`.`)).toMatch(/^Das kann ich .* keine sagt etwas dazu. Die Frage .* Auch .* “a”. Helfen /);
  expect(translateText(german, "9 passages and 2 of summaries, 3.3 MB, behind the catalog")).toMatch(/^9 Textstellen und 2 von Zusammenfassungen, 3.3 MB, älter /);
  expect(translateText(german, "files read")).toBe("Dateien gelesen");
  expect(translateText(german, "1 failed: '/a.png'")).toBe("1 fehlgeschlagen: '/a.png'");
  expect(translateText(german, "something else")).toBe("something else");
  const forms = Object.entries(en).filter(([key]) => key.startsWith("said."));
  for (const [, form] of forms) {
    const text = form.replace(/\{(\w+)\}/g, (_, hole) => ({ meaning: "score", span: "1990", unit: "papers" })[hole as string] ?? "7");
    expect(translateText(english, text)).toBe(text);
    expect(translateText(german, text)).not.toBe(text);
  }
});
