import type { Evidence } from "../../api/types";
import { useWords } from "../../i18n";
import { pageOf } from "../../parts/CitationChip";
import { titleOf } from "../../parts/PaperLine";
import { StatusBadge } from "../../parts/StatusBadge";
import { useReading } from "../../reader/reading";

/** What the statements rest on: the quote, what the model made of it, how relevant it found it. */
export function EvidenceCards({ evidence }: { evidence: readonly Evidence[] }) {
  const { t } = useWords();
  const { open } = useReading();
  return (
    <ul className="evidence">
      {evidence.map((card) => (
        <li key={card.id} className="card">
          <div className="head">
            <button
              type="button"
              className="link"
              onClick={() =>
                open({ paper: card.paper.id, page: pageOf(card), spans: card.spans.map((span) => span.id) })
              }
            >
              {card.label || titleOf(card.paper)}
            </button>
            <StatusBadge status={card.paper.publication_status} />
            <span className="score">
              <meter min={0} max={10} value={card.score} aria-hidden />
              {t("ask.score", { score: card.score })}
            </span>
          </div>
          <blockquote>{card.quote}</blockquote>
          {card.summary && (
            <p className="muted">
              {t("ask.summary")} {card.summary}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
