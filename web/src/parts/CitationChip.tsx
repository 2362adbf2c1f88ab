import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { Citation } from "../api/types";
import { useWords } from "../i18n";
import { useReading } from "../reader/reading";
import { useKeys } from "../shell/keys";
import "./CitationChip.css";
import { titleOf } from "./PaperLine";

/** "Hafting et al. 2005, p. 2": as the answer calls it, without the brackets. */
export const chipLabel = (citation: Pick<Citation, "marker">) => citation.marker.replace(/^\[(.*)\]$/s, "$1");

/** The page that a citation begins on, where its paper has pages. */
export const pageOf = (citation: Pick<Citation, "spans">) =>
  citation.spans.flatMap((span) => span.places ?? [])[0]?.page;

const WAIT = 150;

/** A citation: its quote where it is pointed at, the reader beside the page at the sentence where it is pressed. */
export function CitationChip({ citation }: { citation: Citation }) {
  const { reading, open } = useReading();
  const [isShown, show] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const spans = citation.spans.map((span) => span.id);
  const isOpen = reading?.paper === citation.paper.id && reading.spans?.join() === spans.join();
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = (wish: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(wish), WAIT);
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="chip citation"
        aria-expanded={isOpen}
        aria-controls={isOpen ? "reader" : undefined}
        aria-describedby={isShown ? id : undefined}
        onMouseEnter={() => soon(true)}
        onMouseLeave={() => soon(false)}
        onFocus={(event) => event.target.matches(":focus-visible") && show(true)}
        onBlur={() => show(false)}
        onClick={() => {
          clearTimeout(timer.current);
          show(false);
          open({ paper: citation.paper.id, page: pageOf(citation), spans });
        }}
      >
        {chipLabel(citation)}
      </button>
      {isShown && (
        <Quote
          id={id}
          citation={citation}
          at={button}
          onEnter={() => clearTimeout(timer.current)}
          onLeave={() => soon(false)}
          onClose={() => show(false)}
        />
      )}
    </>
  );
}

interface Shown {
  id: string;
  citation: Citation;
  at: RefObject<HTMLElement | null>;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}

function Quote({ id, citation, at, onEnter, onLeave, onClose }: Shown) {
  const { t } = useWords();
  const held = useRef<HTMLDivElement>(null);
  const [place, set] = useState({ left: 0, top: 0 });
  useKeys([{ keys: "Escape", does: "close", run: onClose, inFields: true }]);
  useLayoutEffect(() => {
    const chip = at.current?.getBoundingClientRect();
    if (!chip) return;
    const { width = 0, height = 0 } = held.current?.getBoundingClientRect() ?? {};
    const left = Math.max(8, Math.min(chip.left, document.documentElement.clientWidth - width - 8));
    const above = chip.top - height - 6;
    set({ left, top: above > 8 ? above : chip.bottom + 6 });
  }, [at]);
  useEffect(() => {
    window.addEventListener("scroll", onClose, { capture: true, once: true });
    return () => window.removeEventListener("scroll", onClose, { capture: true });
  }, [onClose]);
  return createPortal(
    <div
      className="quote-card"
      id={id}
      role="tooltip"
      ref={held}
      style={place}
      onMouseEnter={onEnter}
      onMouseLeave={onLeave}
    >
      <blockquote>{citation.quote || t("citation.gone")}</blockquote>
      <p className="muted">{titleOf(citation.paper)}</p>
    </div>,
    document.body,
  );
}
