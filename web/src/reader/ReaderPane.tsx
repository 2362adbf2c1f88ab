/** The reader beside the page, while a paper is open. */
import { lazy, Suspense, useEffect, useRef } from "react";
import { useWords } from "../i18n";
import { Boundary } from "../parts/Boundary";
import { Loading } from "../parts/Loading";
import { useKeys } from "../shell/keys";
import { useReading } from "./reading";

const Reader = lazy(() => import("./Reader"));

export function ReaderPane() {
  const { t } = useWords();
  const { reading, close } = useReading();
  const opener = useRef<Element | null>(null);
  const pane = useRef<HTMLElement>(null);
  const paper = reading?.paper;
  useEffect(() => {
    if (paper) {
      opener.current = document.activeElement;
      pane.current?.focus();
    } else if (opener.current instanceof HTMLElement) opener.current.focus();
  }, [paper]);
  useKeys(reading ? [{ keys: "Escape", does: "reader.close", run: close }] : []);
  if (!reading) return null;
  return (
    <aside className="reader-pane" id="reader" ref={pane} tabIndex={-1} aria-label={t("reader.title")}>
      <Boundary key={reading.paper}>
        <Suspense fallback={<Loading />}>
          <Reader reading={reading} onClose={close} />
        </Suspense>
      </Boundary>
    </aside>
  );
}
