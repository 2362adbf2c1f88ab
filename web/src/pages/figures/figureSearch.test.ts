import { expect, test } from "vitest";
import { cropOf, cropOfPanel, formatCrop, readSearch, request } from "./figureSearch";
import { between, applyKey, MIDDLE, moveCrop } from "./crop";
import { countUnencoded } from "./EncodeNotice";

const searchOf = (search: string) => readSearch(new URLSearchParams(search));

test("an address asks for one thing, and what it says wrongly is left out", () => {
  expect(request(searchOf("q=eels&only=plot&measure=dot&crop=0,0,1,1"))).toEqual({ q: "eels", only: "plot", k: 24 });
  expect(request(searchOf("q=eels&like=p.f1&crop=0.1,0.2,0.3,0.4&measure=euclidean&year=2015.."))).toEqual({
    ...{ like: "p.f1", crop: "0.1,0.2,0.3,0.4", measure: "euclidean", only: "", k: 24, year: ["2015.."] },
  });
  expect(searchOf("like=p.f1&picture=x").picture).toBe("");
  expect(searchOf("only=cartoon&measure=taste&k=-3")).toMatchObject({ only: "", measure: "cosine", k: 1 });
  for (const text of ["", "1,2,3", "0,0,0,1", "0.9,0,0.3,1", "a,b,c,d"]) expect(cropOf(text)).toBeNull();
});

test("a panel is a crop of its figure", () => {
  expect(formatCrop(cropOfPanel({ box: [0.1, 0.2, 0.4, 0.5] }))).toBe("0.1,0.2,0.3,0.3");
});

test("a crop stays on the picture, however it is drawn or moved", () => {
  expect(between([0.8, 0.9], [0.2, 1.4]).map((share) => Math.round(share * 100))).toEqual([20, 90, 60, 10]);
  expect(between([1, 1], [1, 1]).map((share) => Math.round(share * 100))).toEqual([97, 97, 3, 3]);
  expect(moveCrop(MIDDLE, [3, -3])).toEqual([0.5, 0, 0.5, 0.5]);
  expect(applyKey(MIDDLE, "ArrowRight", false)).toEqual([0.27, 0.25, 0.5, 0.5]);
  expect(applyKey(MIDDLE, "ArrowUp", true)).toEqual([0.25, 0.25, 0.5, 0.48]);
  expect(applyKey(MIDDLE, "Enter", false)).toBeNull();
});

test("that nobody has looked at figures is told from other notes", () => {
  expect(countUnencoded("The figures of 17 papers are not among them: nobody has looked at them yet (`figures encode`).")).toBe(17);
  expect(countUnencoded("No figure that was looked at passes.")).toBe(0);
});
