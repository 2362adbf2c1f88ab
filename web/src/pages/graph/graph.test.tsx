import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Edge, Entity } from "../../api/types";
import { LanguageProvider } from "../../i18n";
import { readSearch, FIRST_COUNT, MOST, type Pair, pairs, placeEntities } from "./queries";
import { Neighbours, PathList } from "./Edges";
import { Picture } from "./Picture";

const entity = (id: string) => ({ id, name: `the ${id}`, vocabulary: "v", papers: 1, sentences: 2 }) as Entity;
const edge = (source: string, target: string, kind = "co-mention", sentences = 3) =>
  ({ source, target, kind, papers: 1, sentences, examples: [] }) as unknown as Edge;
const nodes = ["a", "b", "c"].map(entity);

test("an address is read as it was written, and what is none is passed over", () => {
  expect(readSearch(new URLSearchParams("entity=a&entity=a&entity=b&entity=c&k=24&edge=a&edge=b"))).toEqual({ entities: ["a", "b"], k: 24, edge: ["a", "b"] });
  expect(readSearch(new URLSearchParams("k=-1&edge=a"))).toEqual({ entities: [], k: FIRST_COUNT, edge: [] });
  expect(readSearch(new URLSearchParams("k=9999")).k).toBe(MOST);
});

test("two that are joined in two ways are one line, and the one asked for stands first", () => {
  const joined = pairs({ nodes, asked: ["b"], edges: [edge("a", "b", "stated", 1), edge("a", "b"), edge("b", "c"), edge("b", "gone")] });
  expect(joined.map((pair) => pair.ends.map((end) => end.id).join(""))).toEqual(["ba", "bc"]);
  expect(joined[0]!.edges.map((pairEdge) => pairEdge.kind)).toEqual(["stated", "co-mention"]);
});

test("all that is drawn is within the picture, and nothing on another", () => {
  for (const ids of [["a"], ["a", "b"]]) {
    const many = ["a", "b", ...Array.from({ length: 30 }, (_, at) => `n${at}`)].map(entity);
    const nodes = placeEntities({ nodes: many, asked: ids });
    expect(nodes.length).toBe(FIRST_COUNT + ids.length);
    expect(nodes.every(({ x, y }) => x > 5 && x < 95 && y > 5 && y < 95)).toBe(true);
    expect(new Set(nodes.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)).size).toBe(nodes.length);
  }
});

test("each hop leads to its sentences, each name to its entity, by keys too", () => {
  const calls: string[] = [];
  const all = pairs({ nodes, asked: ["a", "c"], edges: [edge("a", "b", "stated"), edge("c", "b")] });
  const does = { edge: ["c", "b"], onEdge: (pair: Pair) => calls.push(pair.ends.map((end) => end.id).join("")), onEntity: (id: string) => calls.push(id) };
  render(
    <LanguageProvider>
      <PathList all={all} paths={[["a", "b", "c"]]} known={new Map(nodes.map((node) => [node.id, node]))} {...does} />
    </LanguageProvider>,
  );
  fireEvent.click(screen.getByRole("button", { name: "3 sentences on the a and the b", expanded: false }));
  fireEvent.click(screen.getByRole("button", { name: "3 sentences on the c and the b", expanded: true }));
  fireEvent.click(screen.getByRole("button", { name: "the b" }));
  expect(calls).toEqual(["ab", "cb", "b"]);
  expect(screen.getByText("stated")).toBeTruthy();
});

test("the picture and the list beside it have the same", () => {
  const graph = { nodes, asked: ["a"], edges: [edge("a", "b"), edge("a", "c")], paths: [], note: "" };
  const all = pairs(graph);
  const does = { all, edge: [], onEdge: () => undefined, onEntity: () => undefined };
  const { container } = render(
    <LanguageProvider>
      <Picture graph={{ ...graph, schema: "conspectus.graph.show/1" } as never} {...does} />
      <Neighbours {...does} />
    </LanguageProvider>,
  );
  expect(container.querySelectorAll("svg .shown").length).toBe(2);
  expect(screen.getAllByRole("button", { name: "the b" }).length).toBe(2);
});
