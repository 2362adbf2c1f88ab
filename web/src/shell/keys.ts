/** Keys: whatever is on the screen says which it has, and the sheet lists them. */
import { useEffect, useId, useRef, useSyncExternalStore } from "react";
import type { Key } from "../i18n";

export interface Binding {
  /** `?`, `Escape`, `Shift+Enter`, or two pressed one after the other: `g a`. */
  keys: string;
  does: Key;
  run: () => void;
  /** Also while somebody types into a field. */
  inFields?: boolean;
}

const bindingsByKey = new Map<string, Binding[]>();
const watchers = new Set<() => void>();
let allBindings: Binding[] = [];
const PAUSE = 900;

function change() {
  allBindings = [...bindingsByKey.values()].flat();
  watchers.forEach((watch) => watch());
}

/** Have keys do something while this is on the screen; what came last goes first. */
export function useKeys(bindings: Binding[]) {
  const id = useId();
  const now = useRef(bindings);
  useEffect(() => {
    now.current = bindings;
  });
  const names = bindings.map((binding) => binding.keys + binding.does).join();
  useEffect(() => {
    const stable = now.current.map((binding, at) => ({ ...binding, run: () => now.current[at]?.run() }));
    bindingsByKey.set(id, stable);
    change();
    return () => {
      bindingsByKey.delete(id);
      change();
    };
  }, [id, names]);
}

let first = "";
let since = 0;
function handleKey(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  const isField = target.matches?.("input, textarea, select, [contenteditable]");
  const name = event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key;
  const both = performance.now() - since < PAUSE && first ? `${first} ${name}` : "";
  const binding = [...allBindings].reverse().find((candidate) => (candidate.keys === both || candidate.keys === name) && (!isField || candidate.inFields));
  first = binding || isField ? "" : name;
  since = performance.now();
  if (binding) {
    event.preventDefault();
    binding.run();
  }
}
if (typeof window !== "undefined") window.addEventListener("keydown", handleKey);

/** All keys that do something now. */
export function useBindings(): Binding[] {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => allBindings,
  );
}
