import { expect, test } from "vitest";
import type { JobEvent } from "../../api/types";
import { collectProgress, countsOf } from "./survey";

const events = (...payloads: object[]) => payloads.map((payload, at) => ({ job: "j", seq: at + 1, at: "", ...payload })) as unknown as JobEvent[];
const stance = (rank: number, kind: string) => ({ kind: "stance", stance: { rank, stance: kind, citations: [] } });

test("stances stand in the order of the search as they come, and the whole goes before them in the end", () => {
  // Else papers would jump about while they are judged, or stand there twice.
  const coming = events({ kind: "claim", claim: "It helps." }, stance(3, "mixed"), stance(1, "supports"), {
    kind: "reading",
    done: 2,
    total: 5,
  });
  expect(collectProgress(coming)).toMatchObject({ claim: "It helps.", read: 2, total: 5, consensus: null });
  expect(collectProgress(coming).stances.map((stance) => stance.rank)).toEqual([1, 3]);
  const outcome = { claim: "It helps much.", stances: [stance(1, "supports").stance], unjudged: [] };
  const after = collectProgress([...coming, ...events({ kind: "consensus", consensus: outcome }, { kind: "done", result: outcome })]);
  expect(after.stances.length).toBe(1);
  expect(after.claim).toBe("It helps much.");
  expect(countsOf(after.stances)).toEqual({ supports: 1, opposes: 0, mixed: 0, "not about it": 0 });
});
