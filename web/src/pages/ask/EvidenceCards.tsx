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
      {evidence.map((one) => (
        <li key={one.id} className="card">
          <div className="head">
            <button
              type="button"
              className="link"
              onClick={() =>
                open({ paper: one.paper.id, page: pageOf(one), spans: one.spans.map((span) => span.id) })
              }
            >
              {one.label || titleOf(one.paper)}
            </button>
            <StatusBadge status={one.paper.publication_status} />
            <span className="score">
              <meter min={0} max={10} value={one.score} aria-hidden />
              {t("ask.score", { score: one.score })}
            </span>
          </div>
          <blockquote>{one.quote}</blockquote>
          {one.summary && (
            <p className="muted">
              {t("ask.summary")} {one.summary}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
