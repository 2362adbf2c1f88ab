import { useEffect, useRef } from "react";
import type { Citation } from "../api/types";
import { useWords } from "../i18n";
import { cutReadableText } from "../reader/lines";
import { useSentences } from "../reader/paper";
import { useReading } from "../reader/reading";
import "./CitationChip.css";
import { titleOf } from "./PaperLine";
import { StatusBadge } from "./StatusBadge";
import { type TipState, Tip, useTip } from "./Tip";

/** "Hafting et al. 2005, p. 2": as the answer calls it, without the brackets. */
export const chipLabel = (citation: Pick<Citation, "marker">) => citation.marker.replace(/^\[(.*)\]$/s, "$1");

/** The page that a citation begins on, where its paper has pages. */
export const pageOf = (citation: Pick<Citation, "spans">) =>
  citation.spans.flatMap((span) => span.places ?? [])[0]?.page;

interface Props {
  citation: Citation;
  /** Its number in an answer: "1a"; then who reads on is told the rest where it is pointed at. */
  label?: string;
  /** Whether the page stands beside the number. */
  isPaged?: boolean;
}

/** A citation: its quote where it is pointed at, the reader beside the page at the sentence where it is pressed. */
export function CitationChip({ citation, label, isPaged }: Props) {
  const { t } = useWords();
  const { reading, open } = useReading();
  const { isShown, hide, trigger, card } = useTip<HTMLButtonElement>();
  const spans = citation.spans.map((span) => span.id);
  const page = pageOf(citation);
  const isOpen = reading?.paper === citation.paper.id && reading.spans?.join() === spans.join();
  return (
    <>
      <button
        type="button"
        className={label ? "chip citation numbered" : "chip citation"}
        data-citation={spans[0]}
        aria-label={label && `${label}: ${chipLabel(citation)}`}
        aria-expanded={isOpen}
        aria-controls={isOpen ? "reader" : undefined}
        {...trigger}
        onClick={() => {
          hide();
          open({ paper: citation.paper.id, page, spans });
        }}
      >
        {label ? `${label}${isPaged && page ? `, ${t("citation.page", { n: page })}` : ""}` : chipLabel(citation)}
      </button>
      {isShown && <Card citation={citation} card={card} />}
    </>
  );
}

/** Whole sentences within so many characters around a quote are shown with it. */
const AROUND = 350;

/** The quote within its paragraph, beside what is read. */
function Card({ citation, card }: { citation: Citation; card: TipState }) {
  const { t } = useWords();
  const { cited } = useSentences(citation.spans.slice(0, 1).map((span) => span.id));
  const passage = cited[0]?.passage;
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    const [quote, tip] = [mark.current, mark.current?.closest<HTMLElement>(".tip")];
    if (quote && tip) tip.scrollTop = quote.offsetTop - tip.clientHeight / 3;
  }, [passage]);
  const quotedIds = new Set(citation.spans.map((span) => span.id));
  const lit = passage?.spans.filter((span) => quotedIds.has(span.id)).map((span) => ({ ...span, name: "lit" })) ?? [];
  const near = passage?.spans.filter((span) => lit.some((part) => span.start > part.start - AROUND && span.end < part.end + AROUND)) ?? [];
  const [from, to] = [near[0]?.start ?? 0, near.at(-1)?.end ?? 0];
  return (
    <Tip {...card} besideSelector=".statements, .sources">
      <p className="muted">
        {chipLabel(citation)} · {titleOf(citation.paper)} <StatusBadge status={citation.paper.publication_status} />
      </p>
      {passage && lit.length > 0 ? (
        <blockquote>
          {from > 0 && "… "}
          {cutReadableText(passage.text, [...lit, { start: from, end: to, name: "near" }]).map(({ start, text, names }) =>
            names.includes("lit") ? (
              <mark key={start} ref={start === lit[0]!.start ? mark : undefined}>
                {text}
              </mark>
            ) : (
              names.includes("near") && text
            ),
          )}
          {to < passage.text.length && " …"}
        </blockquote>
      ) : (
        <blockquote>{citation.quote || t("citation.gone")}</blockquote>
      )}
    </Tip>
  );
}
