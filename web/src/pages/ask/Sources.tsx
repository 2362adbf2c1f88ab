import type { Statement } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip, pageOf } from "../../parts/CitationChip";
import { PaperLine } from "../../parts/PaperLine";
import { sourcesOf } from "./citations";

/** The papers that an answer cites, by their numbers, each with its quotes. */
export function Sources({ statements }: { statements: readonly Statement[] }) {
  const { t } = useWords();
  const sources = sourcesOf(statements);
  if (!sources.length) return null;
  return (
    <section className="sources" aria-label={t("ask.sources")}>
      <h3>{t("ask.sources")}</h3>
      <ol>
        {sources.map(({ paper, number, quotes }) => (
          <li key={paper.id} value={number}>
            <span className="number">[{number}]</span>
            <PaperLine paper={paper} spans={quotes.flatMap(({ citation }) => citation.spans.map((span) => span.id))} />
            {(quotes.length > 1 || pageOf(quotes[0]!.citation)) && (
              <p className="quotes">
                {quotes.map(({ label, citation }) => (
                  <CitationChip key={label} citation={citation} label={label} isPaged />
                ))}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
