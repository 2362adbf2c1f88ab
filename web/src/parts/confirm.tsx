/** Ask before something that cannot be taken back: `if (await confirm({ title, text, action })) …`. */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useWords } from "../i18n";
import { Dialog } from "./Dialog";

export interface Wish {
  title: string;
  text?: string;
  /** The word on the button that does it: "Remove", not "OK". */
  action: string;
  isDanger?: boolean;
}

let openRequest: (Wish & { answer: (yes: boolean) => void }) | null = null;
const watchers = new Set<() => void>();

function change(to: typeof openRequest) {
  openRequest = to;
  watchers.forEach((watch) => watch());
}

/** Whether it is wished; a question asked before and not answered counts as no. */
export function confirm(wish: Wish): Promise<boolean> {
  openRequest?.answer(false);
  return new Promise((answer) => change({ ...wish, answer }));
}

function decide(yes: boolean) {
  openRequest?.answer(yes);
  change(null);
}

/** Where it is asked; stands once, in the shell. */
export function Confirmation() {
  const { t } = useWords();
  const wish = useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => openRequest,
  );
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), [wish]);
  const actions = (
    <>
      <button type="button" ref={no} onClick={() => decide(false)}>
        {t("cancel")}
      </button>
      <button type="button" className={wish?.isDanger ? "danger" : "primary"} onClick={() => decide(true)}>
        {wish?.action}
      </button>
    </>
  );
  return (
    <Dialog isOpen={wish !== null} onClose={() => decide(false)} title={wish?.title ?? ""} actions={actions}>
      {wish?.text && <p>{wish.text}</p>}
    </Dialog>
  );
}
