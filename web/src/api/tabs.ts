/** What a tab tells the others of this browser. */
export interface TabMessage {
  /** `started`, `file`, `done` …; `changed`: another tab has changed something; `reset`: anything may have. */
  kind: string;
  /** What the job does that told it; "": not known. */
  verb: string;
  /** Where in the server's feed it stood. */
  place?: string;
}

export const tabs = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("conspectus");

/** Tell the other tabs that this one has changed something. */
export const tellOthers = () => tabs?.postMessage({ kind: "changed", verb: "" } satisfies TabMessage);
