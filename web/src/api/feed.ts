/**
 * What happens in the library, whoever does it: the server's shared feed of events, by one connection for all tabs.
 * One tab holds it and tells the others; when it is closed another goes on from the same place.
 */
import { address, parseObject, reach } from "./client";
import { isClosed } from "./connection";
import { type TabMessage, tabs } from "./tabs";

const KINDS = ["jobs", "reset", "started", "file", "done", "failed", "cancelled"];
const LOCK = "conspectus.feed";
const PAUSE = 5000;

const verbs = new Map<string, string>();
let place = "";

function read(kind: string, text: string): TabMessage {
  const message = parseObject<{ job: string; verb: string; jobs: { job: string; verb: string }[] }>(text); // nothing, of what is no JSON
  if (Array.isArray(message.jobs)) message.jobs.forEach((job) => verbs.set(job.job, job.verb));
  if (message.job && message.verb) verbs.set(message.job, message.verb);
  return { kind, verb: verbs.get(message.job ?? "") ?? "" };
}

/** Listen to the server, from where this or another tab stopped. */
function listen(tell: (happened: TabMessage) => void): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    const stream = (source = new EventSource(address("/events", { after: place })));
    const take = (message: MessageEvent<string>) => {
      place = message.lastEventId || place;
      const happened = read(message.type, message.data);
      tabs?.postMessage({ ...happened, place } satisfies TabMessage);
      tell(happened);
    };
    KINDS.forEach((kind) => stream.addEventListener(kind, take as EventListener));
    stream.onerror = () => {
      void reach(address("/health")).catch(() => undefined); // which says whether the server is there
      if (stream.readyState !== EventSource.CLOSED) return;
      clearTimeout(timer);
      timer = setTimeout(() => isClosed() || open(), PAUSE);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

/** Listen while this tab is looked at: where browsers have no locks, each tab has a connection, of which there are six. */
function listenWhileVisible(begin: () => () => void): () => void {
  let stop: (() => void) | undefined;
  const look = () => {
    stop?.();
    stop = document.hidden ? undefined : begin();
  };
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    stop?.();
  };
}

/** Hear what happens until the function that is returned is called. */
export function hear(tell: (happened: TabMessage) => void): () => void {
  const from = ({ data }: MessageEvent<TabMessage>) => {
    place = data.place ?? place;
    tell(data);
  };
  tabs?.addEventListener("message", from);
  const ended = new AbortController();
  const begin = () => listen(tell);
  const hold = () =>
    new Promise<void>((done) => {
      const stop = begin();
      ended.signal.addEventListener("abort", () => (stop(), done()));
    });
  const stop = navigator.locks ? undefined : listenWhileVisible(begin);
  navigator.locks?.request(LOCK, { signal: ended.signal }, hold).catch(() => undefined);
  return () => {
    tabs?.removeEventListener("message", from);
    ended.abort();
    stop?.();
  };
}
