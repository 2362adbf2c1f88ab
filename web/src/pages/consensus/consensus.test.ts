import { expect, test } from "vitest";
import type { JobEvent } from "../../api/types";
import { countsOf, found } from "./found";

const events = (...told: object[]) => told.map((one, at) => ({ job: "j", seq: at + 1, at: "", ...one })) as unknown as JobEvent[];
const stance = (rank: number, kind: string) => ({ kind: "stance", stance: { rank, stance: kind, citations: [] } });

test("stances stand in the order of the search as they come, and the whole goes before them in the end", () => {
  // Else papers would jump about while they are judged, or stand there twice.
  const coming = events({ kind: "claim", claim: "It helps." }, stance(3, "mixed"), stance(1, "supports"), {
    kind: "reading",
    done: 2,
    total: 5,
  });
  expect(found(coming)).toMatchObject({ claim: "It helps.", read: 2, total: 5, whole: null });
  expect(found(coming).stances.map((one) => one.rank)).toEqual([1, 3]);
  const whole = { claim: "It helps much.", stances: [stance(1, "supports").stance], unjudged: [] };
  const after = found([...coming, ...events({ kind: "consensus", consensus: whole }, { kind: "done", result: whole })]);
  expect(after.stances.length).toBe(1);
  expect(after.claim).toBe("It helps much.");
  expect(countsOf(after.stances)).toEqual({ supports: 1, opposes: 0, mixed: 0, "not about it": 0 });
});
