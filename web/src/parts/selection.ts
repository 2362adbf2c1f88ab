/** Choosing several of a list: one by one, or with Shift all between. */
import { useCallback, useRef, useState } from "react";

/** What is chosen after `id` was clicked: with `from`, all between in the order of `ids` become as `id` becomes. */
export function toggleId(chosen: ReadonlySet<string>, id: string, ids: readonly string[], from?: string): Set<string> {
  const after = new Set(chosen);
  const isOn = !chosen.has(id);
  const first = from === undefined ? -1 : ids.indexOf(from);
  const last = ids.indexOf(id);
  const range = first < 0 || last < 0 ? [id] : ids.slice(Math.min(first, last), Math.max(first, last) + 1);
  range.forEach((id) => (isOn ? after.add(id) : after.delete(id)));
  return after;
}

export interface Selection {
  chosen: ReadonlySet<string>;
  toggle: (id: string, ids: readonly string[], withShift?: boolean) => void;
  set: (ids: Iterable<string>) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [chosen, change] = useState<ReadonlySet<string>>(new Set<string>());
  const anchor = useRef<string>(undefined);
  const toggle = useCallback((id: string, ids: readonly string[], withShift = false) => {
    const from = withShift ? anchor.current : undefined;
    anchor.current = id;
    change((before) => toggleId(before, id, ids, from));
  }, []);
  const set = useCallback((ids: Iterable<string>) => change(new Set(ids)), []);
  const clear = useCallback(() => change(new Set()), []);
  return { chosen, toggle, set, clear };
}
