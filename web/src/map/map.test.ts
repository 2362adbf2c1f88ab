import { expect, test } from "vitest";
import { zoomToSpot, clip, fitBox, zoomToBox, toMap, toScreen, formatZoom as lookOf, parseZoom } from "./camera";
import { ancestorsAtLevel, byRegion, legendEntries, colourRegions, makeColourScale } from "./colours";
import { foldText, findRows } from "./titleSearch";
import { levels, type LabelCandidate, placeLabels, shortenName } from "./labels";
import { Pace } from "./pace";
import { boxOf, decodePoints, parseLine, Nearest, type Points, span, rowsInside, formatLine } from "./points";

/** As the server packs them: columns, one behind the other, little-endian. */
function packPoints(rows: [number, number, number, number][]): Points {
  const buffer = new ArrayBuffer(14 * rows.length);
  const view = new DataView(buffer);
  rows.forEach(([x, y, region, year], row) => {
    view.setFloat32(8 * row, x, true);
    view.setFloat32(8 * row + 4, y, true);
    view.setInt32(8 * rows.length + 4 * row, region, true);
    view.setInt16(12 * rows.length + 2 * row, year, true);
  });
  return decodePoints(buffer);
}
const points = packPoints([
  [0, 0, 3, 1990],
  [10, 0, 4, 2000],
  [0, 5, 3, -1],
  [4, 2, 4, 2010],
]);
const regions = [
  { id: 1, level: 0, parent: null },
  { id: 2, level: 1, parent: 1 },
  { id: 3, level: 2, parent: 2 },
  { id: 4, level: 2, parent: 2 },
];

test("columns are read as they were written", () => {
  // Papers would stand where they do not.
  expect([...points.spots]).toEqual([0, 0, 10, 0, 0, 5, 4, 2]);
  expect([...points.regions]).toEqual([3, 4, 3, 4]);
  expect([...points.years]).toEqual([1990, 2000, -1, 2010]);
  expect(boxOf(points)).toEqual({ low: [0, 0], high: [10, 5] });
  expect(span(points)).toEqual([1990, 2010]);
  expect(span(packPoints([[0, 0, 1, -1]]))).toBeNull();
});

test("a line that is drawn holds what lies within it, of the years that are shown", () => {
  const line = [[-1, -1], [5, -1], [5, 6], [-1, 6]] as const;
  expect(rowsInside(points, line, null)).toEqual([0, 2, 3]);
  expect(rowsInside(points, line, [2005, 2015])).toEqual([3]);
  // not what lies beside a corner that goes inwards
  expect(rowsInside(points, [[-1, -1], [11, -1], [11, 1], [1, 1], [1, 6], [-1, 6]], null)).toEqual([0, 1, 2]);
});

test("a line stands in the address with as many of its points as fit, and what is none is none", () => {
  const line = Array.from({ length: 500 }, (_, n) => [Math.cos(n / 80) * 3.14159265, Math.sin(n / 80)] as const);
  const parsed = parseLine(formatLine(line));
  expect(parsed.length).toBeLessThanOrEqual(60);
  expect(parsed[0]).toEqual([3.1416, 0]);
  for (const wrong of [null, "", "1,2", "1,2;3,4", "a,b;c,d;e,f", "1;2;3"]) expect(parseLine(wrong)).toEqual([]);
});

test("what is pointed at is the nearest that is shown", () => {
  const nearest = new Nearest(points);
  expect(nearest.of(4.4, 2, 1, null)).toBe(3);
  expect(nearest.of(7, 2, 1, null)).toBeNull();
  expect(nearest.of(4, 2, 9, [1980, 1995])).toBe(0);
});

test("the screen and the map are turned into each other, and the address tells where one looked", () => {
  const camera = { ...fitBox(boxOf(points), 800, 600), zoom: { k: 3, x: -120, y: 40 } };
  const [x, y] = toMap(camera, toScreen(camera, [4, 2]));
  expect([x, y].map((coordinate) => coordinate.toFixed(6))).toEqual(["4.000000", "2.000000"]);
  expect(toScreen(camera, [0, 5])[1]).toBeLessThan(toScreen(camera, [0, 0])[1]);
  const restored = parseZoom(camera, lookOf(camera))!;
  expect(restored.k).toBe(3);
  expect(Math.abs(restored.x - camera.zoom.x)).toBeLessThan(1);
  for (const wrong of [null, "", "1,2", "1,2,0", "1,2,99999", "a,b,c"]) expect(parseZoom(camera, wrong)).toBeNull();
  const target = zoomToBox(camera, { low: [3, 1], high: [5, 3] });
  expect(target.k).toBeGreaterThan(1);
  expect(toScreen({ ...camera, zoom: target }, [4, 2]).map(Math.round)).toEqual([400, 300]);
  expect(toScreen({ ...camera, zoom: zoomToSpot(camera, [0, 0], 2) }, [0, 0]).map(Math.round)).toEqual([400, 300]);
  // what WebGL is told is the same
  const [kx, ky, ax, ay] = clip(camera);
  const [left, top] = toScreen(camera, [4, 2]);
  expect(4 * kx + ax).toBeCloseTo((2 * left) / 800 - 1);
  expect(2 * ky + ay).toBeCloseTo(1 - (2 * top) / 600);
});

test("names do not lie on each other, large regions have theirs first, and near ones are told in small", () => {
  const camera = fitBox({ low: [0, 0], high: [100, 100] }, 800, 800);
  const many: LabelCandidate[] = Array.from({ length: 300 }, (_, n) => ({ id: n, level: n < 4 ? 0 : n < 24 ? 1 : 2, name: `region of eels ${n}`, size: 300 - n, x: 5 + ((n * 37) % 90), y: 5 + ((n * 59) % 90) }));
  const far = placeLabels(many, camera);
  expect(far.length).toBeGreaterThan(10);
  expect(far[0]!.id).toBe(0);
  const wide = (text: string, level: number) => text.length * [15, 13.5, 12][level]! * 0.56;
  for (const [n, label] of far.entries())
    for (const other of far.slice(n + 1)) {
      const apart = Math.abs(label.left - other.left) >= (wide(label.name, label.level) + wide(other.name, other.level)) / 2 || Math.abs(label.top - other.top) >= 12;
      expect(apart, `${label.name} and ${other.name}`).toBe(true);
    }
  expect(new Set(far.map((label) => label.level))).toEqual(new Set([0, 1]));
  expect(levels(2)[0]).toBe(1);
  // the list beside the map would have other names than the map
  expect([0, 1, 2].map((level) => levels(1, level)[0])).toEqual([0, 1, 2]);
  expect(placeLabels(many, camera, undefined, 2)[0]!.level).toBe(2);
  expect(levels(5, 0)[0]).toBe(2);
  const near = placeLabels(many, { ...camera, zoom: zoomToSpot(camera, [50, 50], 6) });
  expect(near[0]!.level).toBe(2);
  expect(near.every((label) => label.left > 0 && label.left < 800)).toBe(true);
  // one at the border is moved to where it can be read
  const [edge] = placeLabels([{ ...many[0]!, x: 0, y: 50 }], camera);
  expect(edge!.left - wide(edge!.name, 0) / 2).toBeGreaterThan(0);
});

test("points have their region's colour, and of one that is looked at alone the others are faint", () => {
  expect([...ancestorsAtLevel(regions, 1)]).toEqual([[2, 2], [3, 2], [4, 2]]);
  const all = byRegion(points, regions, false);
  expect([...all.slice(0, 3)]).toEqual([...all.slice(4, 7)]);
  const focused = byRegion(points, regions, false, 1, 3);
  expect(focused[3]).toBeGreaterThan(focused[7]!);
  expect([...focused.slice(0, 3)]).toEqual([...all.slice(0, 3)]);
});

test("points have the colours of the regions of the level that is chosen, as the list beside them does", () => {
  // The list's colours would be of no point, and which region a point is in could not be seen.
  const two = [...regions, { id: 5, level: 0, parent: null }, { id: 6, level: 1, parent: 5 }, { id: 7, level: 2, parent: 6 }];
  const others = packPoints([[0, 0, 3, 1990], [1, 0, 4, 1990], [2, 0, 7, 1990]]);
  for (const level of [0, 1, 2]) {
    const colours = colourRegions(two, true, level);
    const seen = byRegion(others, two, true, level);
    const dots = [0, 1, 2].map((row) => [...seen.slice(4 * row, 4 * row + 3)]);
    expect(dots).toEqual([3, 4, 7].map((id) => [...colours.get(ancestorsAtLevel(two, level).get(id)!)!]));
    expect(new Set(dots.map(String)).size).toBe(level === 2 ? 3 : 2);
  }
});

test("colours of values are read by the legend", () => {
  const legend = { meaning: "citations", unit: "citations", low: 0, high: 1000, scale: "log" as const };
  const scale = makeColourScale({ kind: "number", legend }, false);
  expect(scale(null)).toBeNull();
  expect(scale(0)).toEqual([68, 1, 84]);
  expect(scale(1000)).toEqual([253, 231, 37]);
  // about a sixth of the way by numbers, and in the midst by their logarithms
  expect(scale(31)).toEqual(makeColourScale({ kind: "number", legend: { ...legend, low: 0, high: 10, scale: "linear" } }, false)(5.016));
  const ends = legendEntries({ kind: "number", legend, categories: [] }, false, String);
  expect([ends[0]!.text, ends.at(-1)!.text]).toEqual(["0 citations", "1000 citations"]);
  const around = makeColourScale({ kind: "number", legend: { ...legend, low: -0.2, high: 0.9, scale: "diverging" } }, false);
  expect(around(0)).toEqual([225, 225, 225]);
  expect(legendEntries({ kind: "category", legend, categories: ["stars", "other"] }, true, String).map((entry) => entry.text)).toEqual(["stars", "other"]);
});

test("fewer points are drawn while the map moves, where all take too long", () => {
  const pace = new Pace();
  let now = 5000;
  pace.begin(now);
  const frames = (count: number, took: number) => Array.from({ length: count }).forEach(() => pace.frame((now += took)));
  frames(1, 0);
  frames(3, 16);
  expect(pace.every).toBe(1);
  frames(4, 90);
  expect(pace.every).toBe(16);
  frames(30, 16);
  expect(pace.every).toBe(16);
  frames(60, 16);
  expect(pace.every).toBeLessThan(16);
  frames(9, 300);
  expect(pace.every).toBeLessThanOrEqual(31);
  const before = pace.every;
  pace.begin((now += 5000)); // it stood still between
  frames(1, 16);
  expect(pace.every).toBe(before);
  const slow = new Pace();
  slow.begin(0);
  slow.frame(2500);
  expect(slow.every).toBe(2);
});

test("titles are found by words, whatever their marks", () => {
  const letters = ["Über Aale", "On Eels", "Aale und Wale"].map(foldText);
  expect(findRows(letters, "aal")).toEqual([0, 2]);
  expect(findRows(letters, "uber AALE")).toEqual([0]);
  expect(findRows(letters, "  ")).toEqual([]);
});

test("a long name is cut between its phrases", () => {
  // "training, machine learning, c…" would be written on the map.
  expect(shortenName("training, machine learning, classification")).toBe("training, machine learning…");
  expect(shortenName("metallicity, stars, Milky Way")).toBe("metallicity, stars, Milky Way");
  expect(shortenName("a name by somebody that goes on and on")).toBe("a name by somebody that goes on…");
});
