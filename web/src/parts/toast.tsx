/** Short messages at the edge of the page: `toast(t("…"))` from anywhere. What failed stays until it is closed. */
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Problem } from "../api/client";
import { useWords } from "../i18n";
import { describeError, Place, Remedy } from "./Remedy";
import "./toast.css";

export interface Toast {
  id: number;
  text: string;
  kind: "good" | "bad" | "info";
  /** What failed, said with its remedy in place of the text. */
  error?: Problem;
  /** What to do about it: Undo, Open. */
  action?: { name: string; run: () => void };
}

const STAYS = 7000;
const MOST = 4;
let toasts: Toast[] = [];
let last = 0;
const watchers = new Set<() => void>();

function change(after: Toast[]) {
  toasts = after;
  watchers.forEach((watch) => watch());
}

/** Say something; its id, for `dismiss`. The same text is not said twice at a time. */
export function toast(text: string, { kind = "good", action, error }: Partial<Omit<Toast, "id" | "text">> = {}): number {
  const id = ++last;
  const others = toasts.filter((other) => other.text !== text || other.action);
  change([...others, { id, text, kind, action, error }].slice(-MOST));
  return id;
}

/** Say that something failed, with its remedy: `onError: toastError`. */
export function toastError(error: Error): number {
  return toast(error.message, { kind: "bad", error: error instanceof Problem ? error : undefined });
}

export function dismiss(id: number) {
  change(toasts.filter((other) => other.id !== id));
}

const ICONS = { good: CircleCheck, bad: CircleAlert, info: Info };

function ToastItem({ toast: { id, text, kind, action, error } }: { toast: Toast }) {
  const { t } = useWords();
  const [isHeld, hold] = useState(false);
  useEffect(() => {
    if (isHeld || kind === "bad") return;
    const timer = setTimeout(() => dismiss(id), action ? 2 * STAYS : STAYS);
    return () => clearTimeout(timer);
  }, [id, kind, action, isHeld]);
  const Icon = ICONS[kind];
  return (
    <li
      className={`toast ${kind}`}
      onMouseEnter={() => hold(true)}
      onMouseLeave={() => hold(false)}
      onFocus={() => hold(true)}
      onBlur={() => hold(false)}
    >
      <Icon size={18} aria-hidden />
      <p>{error ? <FailureText error={error} /> : text}</p>
      {action && (
        <button
          type="button"
          className="link"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.name}
        </button>
      )}
      <button type="button" className="plain" onClick={() => dismiss(id)} aria-label={t("close")}>
        <X size={16} aria-hidden />
      </button>
    </li>
  );
}

function FailureText({ error }: { error: Problem }) {
  const { t } = useWords();
  const { what, hint, place } = describeError(error, t);
  return (
    <>
      {what} {hint && <Remedy text={hint} />} <Place place={place} />
    </>
  );
}

/** Where they are shown; stands once, in the shell. */
export function Toasts() {
  const all = useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => toasts,
  );
  return (
    <div role="log" aria-live="polite" aria-relevant="additions">
      <ul className="toasts">
        {all.map((toast) => (
          <ToastItem key={toast.id} toast={toast} />
        ))}
      </ul>
    </div>
  );
}
