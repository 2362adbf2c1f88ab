import { useEffect, useRef } from "react";
import type { Citation } from "../api/types";
import { useWords } from "../i18n";
import { cut } from "../reader/lines";
import { useSentences } from "../reader/paper";
import { useReading } from "../reader/reading";
import "./CitationChip.css";
import { titleOf } from "./PaperLine";
import { StatusBadge } from "./StatusBadge";
import { type Shown, Tip, useTip } from "./Tip";

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

/** The quote within its paragraph, beside what is read. */
function Card({ citation, card }: { citation: Citation; card: Shown }) {
  const { t } = useWords();
  const { cited } = useSentences(citation.spans.slice(0, 1).map((span) => span.id));
  const passage = cited[0]?.passage;
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    const [own, whole] = [mark.current, mark.current?.closest<HTMLElement>(".tip")];
    if (own && whole) whole.scrollTop = own.offsetTop - whole.clientHeight / 3;
  }, [passage]);
  const own = new Set(citation.spans.map((span) => span.id));
  const lit = passage?.spans.filter((span) => own.has(span.id)).map((span) => ({ ...span, name: "lit" })) ?? [];
  return (
    <Tip {...card} beside=".statements, .sources">
      {passage && lit.length > 0 ? (
        <blockquote>
          {cut(passage.text, lit).map(({ start, text, names }, at) =>
            names.length ? (
              <mark key={start} ref={at === 0 || start === lit[0]!.start ? mark : undefined}>
                {text}
              </mark>
            ) : (
              text
            ),
          )}
        </blockquote>
      ) : (
        <blockquote>{citation.quote || t("citation.gone")}</blockquote>
      )}
      <p className="muted">
        {chipLabel(citation)} · {titleOf(citation.paper)} <StatusBadge status={citation.paper.publication_status} />
      </p>
    </Tip>
  );
}
