import type { Citation } from "../api/types";
import { useWords } from "../i18n";
import { useReading } from "../reader/reading";
import "./CitationChip.css";
import { titleOf } from "./PaperLine";
import { StatusBadge } from "./StatusBadge";
import { Tip, useTip } from "./Tip";

/** "Hafting et al. 2005, p. 2": as the answer calls it, without the brackets. */
export const chipLabel = (citation: Pick<Citation, "marker">) => citation.marker.replace(/^\[(.*)\]$/s, "$1");

/** The page that a citation begins on, where its paper has pages. */
export const pageOf = (citation: Pick<Citation, "spans">) =>
  citation.spans.flatMap((span) => span.places ?? [])[0]?.page;

/** A citation: its quote where it is pointed at, the reader beside the page at the sentence where it is pressed. */
export function CitationChip({ citation }: { citation: Citation }) {
  const { t } = useWords();
  const { reading, open } = useReading();
  const { isShown, hide, trigger, card } = useTip<HTMLButtonElement>();
  const spans = citation.spans.map((span) => span.id);
  const isOpen = reading?.paper === citation.paper.id && reading.spans?.join() === spans.join();
  return (
    <>
      <button
        type="button"
        className="chip citation"
        data-citation={spans[0]}
        aria-expanded={isOpen}
        aria-controls={isOpen ? "reader" : undefined}
        {...trigger}
        onClick={() => {
          hide();
          open({ paper: citation.paper.id, page: pageOf(citation), spans });
        }}
      >
        {chipLabel(citation)}
      </button>
      {isShown && (
        <Tip {...card}>
          <blockquote>{citation.quote || t("citation.gone")}</blockquote>
          <p className="muted">
            {titleOf(citation.paper)} <StatusBadge status={citation.paper.publication_status} />
          </p>
        </Tip>
      )}
    </>
  );
}
