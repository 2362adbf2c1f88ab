import { expect, test } from "vitest";
import { splitPieces, queryStems } from "./marks";

const markedTexts = (text: string, query: string) => splitPieces(text, queryStems(query)).filter((piece) => piece.isMarked).map((piece) => piece.text);

test("the words found are marked in each of their forms, and no others", () => {
  // Else somebody would have to read the whole passage to see why it was found.
  expect(markedTexts("Grid cells fire; a cell of the grid fires.", "grid cell")).toEqual(["Grid cells", "cell", "grid"]);
  expect(markedTexts("The theory of the thing", "what is the theory")).toEqual(["theory"]);
  expect(markedTexts("Über Ängste im Traum", "angste")).toEqual(["Ängste"]);
});

test("signs are no words, and what must not stand there is not marked", () => {
  expect(markedTexts("memory of a mouse by hafting", 'memory -mouse author:hafting venue:"of a"')).toEqual(["memory"]);
});

test("the pieces together are the text, markup in it included", () => {
  const text = "<b>cells</b> & <img src=x onerror=alert(1)> grid\ncells";
  expect(splitPieces(text, queryStems("grid cells b")).map((piece) => piece.text).join("")).toBe(text);
});
