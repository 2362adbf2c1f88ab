import { expect, test } from "vitest";
import type { JobEvent } from "../api/types";
import { fill, type Translate } from "../i18n";
import en from "../i18n/en.json";
import { inWords, timeLeft } from "./timeLeft";

const t: Translate = (key, values) => fill(en[key], values);
const event = (seconds: number, done: number, stage = "adding", total = 100) =>
  ({ kind: "progress", seq: seconds, at: new Date(1000 * seconds).toISOString(), job: "job-1", stage, done, total, unit: "bytes" }) as unknown as JobEvent;

/** What is done at each second of works that go evenly, slower, faster, and in steps as files of several sizes do. */
const WORKS: [string, (second: number) => number][] = [
  ["evenly", (second) => second],
  ["slower and slower", (second) => 100 * (second / 100) ** 0.8],
  ["faster and faster", (second) => 100 * (second / 100) ** 1.25],
  ["in steps", (second) => Math.min(100, 7 * Math.floor(second / 7))],
];

test.each(WORKS)("what is left of a work that goes %s is right within a factor of two", (_, done) => {
  // Else "1 min left" stands there for ten minutes.
  const events = Array.from({ length: 101 }, (__, second) => event(second, done(second)));
  for (const second of [20, 40, 60, 80]) {
    const left = timeLeft(events.slice(0, second + 1));
    expect(left! / (100 - second), `after ${second} s`).toBeGreaterThan(0.5);
    expect(left! / (100 - second), `after ${second} s`).toBeLessThan(2);
  }
});

test("nothing is said before it is known, and a wait for others does not count", () => {
  expect(timeLeft([])).toBeNull();
  expect(timeLeft([event(0, 0), event(1, 50)])).toBeNull();
  expect(timeLeft([event(0, 0, "waiting for another job", 0), event(600, 600, "waiting for another job", 0), event(601, 0), event(611, 50)])).toBe(10);
  expect(timeLeft([event(0, 0), event(100, 100)])).toBeNull();
  expect([3, 42, 100, 9000].map((seconds) => inWords(seconds, t))).toEqual(["about 3 s left", "about 40 s left", "about 2 min left", "about 2.5 h left"]);
});
