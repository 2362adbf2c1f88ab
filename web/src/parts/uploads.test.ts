import { act, renderHook } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { batches, upload, useUploads } from "./uploads";

const file = (name: string, size = 10) => ({ name, size }) as File;

test("what is dropped together is one job; of many files none is lost, and they are no more jobs than the server takes", () => {
  // Else each file would wait for the one before as if for a stranger, and nobody would know how long all of them take.
  expect(batches([file("a"), file("b")]).map((batch) => batch.length)).toEqual([2]);
  const many = batches(Array.from({ length: 1003 }, (_, at) => file(`${at}`)));
  expect(many.length).toBeLessThanOrEqual(20);
  expect(many.flat().map((file) => file.name)).toEqual(Array.from({ length: 1003 }, (_, at) => `${at}`));
});

test("large files do not add up to more than one request may have", () => {
  const groups = batches([file("a", 60), file("b", 60), file("c", 30), file("d", 200)], 9, 100);
  expect(groups.map((group) => group.map(({ name }) => name))).toEqual([["a"], ["b", "c"], ["d"]]);
  expect(batches([])).toEqual([]);
});

test("a proxy's page in place of an answer is a failure that the queue goes on from", async () => {
  // Else two large files that a proxy refuses hold up all that wait behind them, and nothing is said.
  const sent: { onload?: () => void; status: number; statusText: string; responseText: string }[] = [];
  class Request {
    upload = {};
    status = 413;
    statusText = "Content Too Large";
    responseText = "<html>too large</html>";
    open() {}
    send() {
      sent.push(this);
    }
  }
  vi.stubGlobal("XMLHttpRequest", Request);
  const { result } = renderHook(useUploads);
  act(() => ["a", "b", "c"].forEach((name) => upload([new File([name], name)])));
  expect(sent.length).toBe(2);
  act(() => sent[0]!.onload?.());
  expect(result.current.map((upload) => upload.state)).toEqual(["failed", "sending", "sending"]);
  expect(result.current[0]!.error).toMatchObject({ kind: "Large", status: 413 });
  vi.unstubAllGlobals();
});

test("files that are chosen before the model is here wait for it", async () => {
  // Else a newcomer's first files fail, and have to be chosen again.
  let sent = 0;
  class Request {
    upload = {};
    open() {}
    send() {
      sent += 1;
    }
  }
  vi.stubGlobal("XMLHttpRequest", Request);
  vi.resetModules();
  const fresh = await import("./uploads");
  fresh.setHold(true);
  fresh.upload([new File(["d"], "d")]);
  expect(sent).toBe(0);
  fresh.setHold(false);
  expect(sent).toBe(1);
  vi.unstubAllGlobals();
});
