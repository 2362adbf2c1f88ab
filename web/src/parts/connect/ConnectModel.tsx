import { Plug } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { createPortal } from "react-dom";
import { useWords } from "../../i18n";
import { useIsPrivate } from "../../shell/health";
import { Dialog } from "../Dialog";
import { Loading } from "../Loading";
import { Coded } from "../Remedy";

const Connect = lazy(() => import("./Connect"));

/** A button that opens the dialog for connecting a language model; where the server is not one's own, who can do it. */
export function ConnectModel({ isPlain = false }: { isPlain?: boolean }) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  if (!useIsPrivate())
    return (
      <span className="muted">
        <Coded text={t("connect.elsewhere")} />
      </span>
    );
  return (
    <>
      <button type="button" className={isPlain ? "link" : "primary"} onClick={() => open(true)}>
        {!isPlain && <Plug size={16} aria-hidden />} {t("connect.title")}
      </button>
      {createPortal(
        <Dialog isOpen={isOpen} onClose={() => open(false)} title={t("connect.title")}>
          <Suspense fallback={<Loading />}>
            <Connect onClose={() => open(false)} />
          </Suspense>
        </Dialog>,
        document.body, // the button may be in a paragraph, which holds no dialog
      )}
    </>
  );
}
