import { Plug } from "lucide-react";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { useWords } from "../../i18n";
import { useIsPrivate } from "../../shell/health";
import { Dialog } from "../Dialog";
import { Loading } from "../Loading";
import { CodeText } from "../Remedy";

const Connect = lazy(() => import("./Connect"));
let isOpen = false;
const watchers = new Set<() => void>();
const open = (to: boolean) => {
  isOpen = to;
  watchers.forEach((watch) => watch());
};

/** A button that opens the dialog for connecting a language model; where the server is not one's own, who can do it. */
export function ConnectModel({ isPlain = false, isQuiet = false }: { isPlain?: boolean; isQuiet?: boolean }) {
  const { t } = useWords();
  if (!useIsPrivate())
    return (
      <span className="muted">
        <CodeText text={t("connect.elsewhere")} />
      </span>
    );
  return (
    <button type="button" className={isPlain ? "link" : isQuiet ? undefined : "primary"} onClick={() => open(true)}>
      {!isPlain && <Plug size={16} aria-hidden />} {t("connect.title")}
    </button>
  );
}

/** The dialog; stands once, in the shell: what opened it may go when a model is set. */
export function ConnectDialog() {
  const { t } = useWords();
  const isShown = useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => isOpen,
  );
  return (
    <Dialog isOpen={isShown} onClose={() => open(false)} title={t("connect.title")}>
      <Suspense fallback={<Loading />}>
        <Connect onClose={() => open(false)} />
      </Suspense>
    </Dialog>
  );
}
