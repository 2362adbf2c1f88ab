import type { Screening } from "../../../api/types";
import { useWords } from "../../../i18n";

/** Whether they fit beside the paper; else they fold, above it. */
const isWide = () => window.matchMedia?.("(min-width: 1000px)").matches ?? true;

/** What a paper has to be, and what it is excluded for. */
export function Criteria({ criteria: { question, include, exclude } }: { criteria: Screening["criteria"] }) {
  const { t } = useWords();
  return (
    <details open={isWide()} className="card criteria">
      <summary>{question || t("screen.criteria")}</summary>
      {include.length > 0 && (
        <>
          <h3>{t("screen.includes")}</h3>
          <ul>
            {include.map((criterion) => (
              <li key={criterion}>{criterion}</li>
            ))}
          </ul>
        </>
      )}
      {Object.keys(exclude).length > 0 && (
        <>
          <h3>{t("screen.excludes")}</h3>
          <ul>
            {Object.entries(exclude).map(([reason, meaning]) => (
              <li key={reason}>
                {reason} {meaning && <span className="muted">{meaning}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
