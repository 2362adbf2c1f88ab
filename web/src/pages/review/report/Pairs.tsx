import type { Contradiction } from "../../../api/types";
import { useWords } from "../../../i18n";
import { CitationChip } from "../../../parts/CitationChip";
import { PaperLine } from "../../../parts/PaperLine";

/** Pairs of statements side by side, each with its paper, and why they cannot both hold. */
export function Pairs({ pairs }: { pairs: readonly Contradiction[] }) {
  const { t } = useWords();
  return (
    <ul className="rows-of">
      {pairs.map(({ first, second, why, verdict }) => (
        <li key={`${first.spans[0]?.id} ${second.spans[0]?.id}`} className="card">
          <div className="sides">
            {[first, second].map((citation) => (
              <div key={citation.spans[0]?.id ?? citation.marker}>
                <blockquote>
                  {citation.quote} <CitationChip citation={citation} />
                </blockquote>
                <PaperLine paper={citation.paper} spans={citation.spans.map((span) => span.id)} />
              </div>
            ))}
          </div>
          <p className="why">
            <span className={`badge ${verdict === "contradict" ? "bad" : ""}`}>{t(verdict === "contradict" ? "contradictions.contradict" : "contradictions.not_judged")}</span> {why}
          </p>
        </li>
      ))}
    </ul>
  );
}
