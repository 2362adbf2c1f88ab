/** The reader beside the page, while a paper is open; its edge can be moved. */
import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useEffect, useRef, useState } from "react";
import { useWords } from "../i18n";
import { Boundary } from "../parts/Boundary";
import { Loading } from "../parts/Loading";
import { useKeys } from "../shell/keys";
import { EmptyReader } from "./Head";
import { useOpenCount, useReading } from "./reading";

const Reader = lazy(() => import("./Reader"));
const STORAGE_KEY = "conspectus.reader";
/** Of the window, in hundredths. */
const [LEAST, USUAL, MOST] = [25, 48, 80];

export function ReaderPane() {
  const { t } = useWords();
  const { reading, close } = useReading();
  const opened = useOpenCount();
  const opener = useRef<Element | null>(null);
  const pane = useRef<HTMLElement>(null);
  const [isFull, setFull] = useState(false);
  const [width, setWidth] = useState(() => Number(localStorage.getItem(STORAGE_KEY)) || USUAL);
  const paper = reading?.paper;
  useEffect(() => {
    if (paper && opened) {
      if (!pane.current?.contains(document.activeElement)) opener.current = document.activeElement;
      pane.current?.focus({ preventScroll: true });
    } else if (!paper && opener.current instanceof HTMLElement) opener.current.focus();
  }, [paper, opened]);
  useKeys(reading ? [{ keys: "Escape", does: "reader.close", run: close }] : []);
  if (!reading) return null;
  const frame = { onClose: close, isFull, onFull: () => setFull(!isFull) };
  const move = (to: number) => {
    const newWidth = Math.min(Math.max(Math.round(to), LEAST), MOST);
    setWidth(newWidth);
    localStorage.setItem(STORAGE_KEY, String(newWidth));
  };
  return (
    <aside
      className={isFull ? "reader-pane is-full" : "reader-pane"}
      id="reader"
      ref={pane}
      tabIndex={-1}
      aria-label={t("reader.title")}
      style={{ flexBasis: `${width}%` }}
    >
      {!isFull && <Edge width={width} onMove={move} />}
      <Boundary key={reading.paper} around={(trouble) => <EmptyReader {...frame}>{trouble}</EmptyReader>}>
        <Suspense
          fallback={
            <EmptyReader {...frame}>
              <Loading />
            </EmptyReader>
          }
        >
          <Reader reading={reading} {...frame} />
        </Suspense>
      </Boundary>
    </aside>
  );
}

function Edge({ width, onMove }: { width: number; onMove: (width: number) => void }) {
  const { t } = useWords();
  const pressed = (event: KeyboardEvent) => {
    const to = { ArrowLeft: width + 2, ArrowRight: width - 2, Home: LEAST, End: MOST }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onMove(to);
  };
  const dragged = (event: PointerEvent) => {
    if (event.buttons) onMove((1 - event.clientX / window.innerWidth) * 100);
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a separator that takes focus is a widget
    <div
      className="edge"
      role="separator"
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("reader.width")}
      aria-controls="reader"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onKeyDown={pressed}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={dragged}
      onDoubleClick={() => onMove(USUAL)}
    />
  );
}
