import { expect, test } from "vitest";
import { pieces, sought } from "./marks";

const marked = (text: string, query: string) => pieces(text, sought(query)).filter((piece) => piece.isMarked).map((piece) => piece.text);

test("the words found are marked in each of their forms, and no others", () => {
  // Else somebody would have to read the whole passage to see why it was found.
  expect(marked("Grid cells fire; a cell of the grid fires.", "grid cell")).toEqual(["Grid cells", "cell", "grid"]);
  expect(marked("The theory of the thing", "what is the theory")).toEqual(["theory"]);
  expect(marked("Über Ängste im Traum", "angste")).toEqual(["Ängste"]);
});

test("signs are no words, and what must not stand there is not marked", () => {
  expect(marked("memory of a mouse by hafting", 'memory -mouse author:hafting venue:"of a"')).toEqual(["memory"]);
});

test("the pieces together are the text, markup in it included", () => {
  const text = "<b>cells</b> & <img src=x onerror=alert(1)> grid\ncells";
  expect(pieces(text, sought("grid cells b")).map((piece) => piece.text).join("")).toBe(text);
});
