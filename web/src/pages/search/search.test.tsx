import type { Hit, Passage } from "../../api/types";
import { expect, test } from "vitest";
import { changeParams } from "../../parts/params";
import { readSearch, rangeOf, request, years } from "./searchState";
import { requests } from "./facets";
import { bestSpan, excerpt, parseQueryError, sortHits } from "./hits";
import { bars } from "./Years";
import { queryStems } from "../../parts/marks";

const hit = (rank: number, paper: object) => ({ rank, paper: { authors: [], files: [], ...paper } }) as unknown as Hit;

function passage(...sentences: string[]): Passage {
  let start = 0;
  const spans = sentences.map((text, at) => {
    const span = { id: `s${at}`, start, end: start + text.length, text, places: [], recognised: false, cells: [] };
    start = span.end + 1;
    return span;
  });
  return { id: "p", paper_id: "p", ordinal: 0, kind: "body", section: "", text: sentences.join(" "), spans };
}

test("a search is in its address, and what is open in the reader stays there", () => {
  // Else a search could not be shared, and paging would close the reader.
  const params = new URLSearchParams("q=grid+cells&venue=A&venue=B&year=2000..&full=1&mmr=0.7&weight=recency&read=abc&k=9999&sort=evil");
  const search = readSearch(params);
  expect(search).toMatchObject({ q: "grid cells", venue: ["A", "B"], mmr: 0.7, k: 200, sort: "best" });
  expect(request(search)).toMatchObject({ q: "grid cells", year: "2000..", full_text: "true", weight: ["recency"] });
  expect(changeParams(params, { venue: ["B"], year: null, q: "", auto: true }).toString()).toBe(
    "full=1&mmr=0.7&weight=recency&read=abc&k=9999&sort=evil&venue=B&auto=1",
  );
});

test("what is similar to papers is asked of another route, with the same filters", () => {
  const search = readSearch(new URLSearchParams("like=a&like=b&year=2001&q=left"));
  expect(request(search)).toMatchObject({ paper: ["a", "b"], year: "2001" });
  expect(request(search)).not.toHaveProperty("q");
});

test("ranges of years are read as the server reads them", () => {
  expect(years("2005..2015")).toEqual([2005, 2015]);
  expect(years("..1999")).toEqual([null, 1999]);
  expect(years("2005..")).toEqual([2005, null]);
  expect(years("2010")).toEqual([2010, 2010]);
  expect(years("then")).toEqual([null, null]);
  expect(rangeOf(2010, 2010)).toBe("2010");
  expect(rangeOf(null, 2010)).toBe("..2010");
});

test("bars of the histogram hold every paper, however far apart the years are", () => {
  const values = [
    { value: "1665", papers: 1 },
    { value: "1999", papers: 4 },
    { value: "2024", papers: 2 },
  ];
  const histogram = bars(values);
  expect(histogram.length).toBeLessThanOrEqual(41);
  expect(histogram.reduce((sum, bar) => sum + bar.papers, 0)).toBe(7);
  expect(bars([{ value: "2001", papers: 3 }])).toEqual([{ low: 2001, high: 2001, papers: 3 }]);
});

test("papers without a year or citations come last, equal ones as they were ranked", () => {
  const hits = [hit(1, { year: null }), hit(2, { year: 2001 }), hit(3, { year: 2010, citation_count: 3 }), hit(4, { year: 2001 })];
  const ranks = (by: "newest" | "oldest" | "cited") => sortHits(hits, by).map((ranked) => ranked.rank);
  expect(ranks("newest")).toEqual([3, 2, 4, 1]);
  expect(ranks("oldest")).toEqual([2, 4, 3, 1]);
  expect(ranks("cited")).toEqual([3, 1, 2, 4]);
});

test("a passage is cut at sentences, and the one with most of the words is in it", () => {
  const long = "Nothing of interest is said in this sentence, which only fills the page with many words.".repeat(2);
  const longPassage = passage(long, long, long, "Grid cells fire.", long);
  const stems = queryStems("grid cells");
  expect(bestSpan(longPassage, stems)?.id).toBe("s3");
  const { text, isCut } = excerpt(longPassage, stems, 200);
  expect(isCut).toBe(true);
  expect(text).toContain("Grid cells fire.");
  expect(text.startsWith("… ")).toBe(true);
});

test("a slip in a query is told with its place, and with the remedy of this page", () => {
  const message = "There is no field 'autor'.\n  autor:hafting\n  ^";
  const parsed = parseQueryError(message, "Did you mean author:…? With `plain=True` all signs are text.");
  expect(parsed).toEqual({ what: "There is no field 'autor'.", where: "autor:hafting\n^", remedy: "Did you mean author:…?", instead: "author" });
});

test("values of a facet that is filtered by are counted without that filter", () => {
  // Else a second venue could not be chosen beside the first: it would have vanished.
  const facetRequests = requests(readSearch(new URLSearchParams("q=cells&venue=Nature&year=2000..&kind=body")));
  expect(facetRequests.map((facetRequest) => facetRequest.facets)).toEqual([["keyword", "language"], ["year"], ["venue"], ["kind"]]);
  expect(facetRequests[2]!.query).toMatchObject({ q: "cells", venue: undefined, year: "2000..", kind: ["body"] });
});
