import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { get } from "./call";
import { reach } from "./client";
import { hear } from "./feed";
import { follow, type FollowedJob } from "./jobs";
import type { TabMessage } from "./tabs";

/** An EventSource, of which the test is the server. */
class Source extends EventTarget {
  static last: Source;
  static CLOSED = 2;
  readyState = 1;
  onopen?: () => void;
  onerror?: () => void;
  constructor(readonly url: string) {
    super();
    Source.last = this;
  }
  close() {}
  say = (kind: string, data: string, lastEventId = "") => this.dispatchEvent(new MessageEvent(kind, { data, lastEventId }));
}
beforeEach(() => {
  vi.stubGlobal("EventSource", Source);
});
afterEach(() => vi.unstubAllGlobals());

test("one message that is no event costs nothing but itself", () => {
  // Else a proxy's line in the stream leaves a job standing still for ever.
  const heard: FollowedJob[] = [];
  const stop = follow("job-1", (now) => heard.push(now));
  Source.last.say("progress", '{"job": "job-1", "seq": 1, "kind": "progress", "stage": "reading", "done": 1, "total": 2}');
  for (const bad of ["<html>", "", "null", "[]", '"x"']) expect(() => Source.last.say("progress", bad)).not.toThrow();
  Source.last.say("done", '{"job": "job-1", "seq": 2, "kind": "done", "result": {}}');
  expect(heard.at(-1)).toMatchObject({ state: "done", error: null });
  expect(heard.at(-1)!.events.map((event) => event.kind)).toEqual(["progress", "done"]);
  stop();
});

test("the shared feed goes on after a message that is none", () => {
  // Else tables and counts follow nothing any more, in all tabs.
  const heard: TabMessage[] = [];
  const stop = hear((happened) => heard.push(happened));
  for (const bad of ["<html>", "null", '{"jobs": 1}']) Source.last.say("jobs", bad);
  Source.last.say("started", '{"job": "job-1", "verb": "add"}', "7");
  expect(heard.at(-1)).toEqual({ kind: "started", verb: "add" });
  stop();
});

test("a page of something between, sent as if all were well, is told as that", async () => {
  // Else the page says that it is itself at fault, or stands there empty.
  for (const text of ["<html>Please log in</html>", '{"papers": [', ""]) {
    vi.stubGlobal("fetch", async () => new Response(text, { headers: { "content-type": "text/html" } }));
    await expect(get("/api/v1/papers")).rejects.toMatchObject({ kind: "Foreign" });
  }
  vi.stubGlobal("fetch", async () => new Response("<html>"));
  await expect((await reach("/api/v1/papers")).text()).rejects.toMatchObject({ kind: "Foreign" }); // as the typed client reads it
  vi.stubGlobal("fetch", async () => new Response(null, { status: 204 }));
  expect(await (await reach("/api/v1/notes/1", { method: "DELETE" })).text()).toBe("");
});
