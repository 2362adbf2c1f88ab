/** A paper of a ranking: its rank with the interval as a bar, and what was said of it. */
import { useState } from "react";
import type { PairVerdict, Ranking } from "../../../api/types";
import { number, useWords } from "../../../i18n";
import { CitationChip } from "../../../parts/CitationChip";
import { Loading } from "../../../parts/Loading";
import { PaperLine } from "../../../parts/PaperLine";
import { Trouble } from "../../../parts/Trouble";
import { barOf, useVerdicts } from "./ranking";
import { ModelNames } from "../../../parts/ModelName";

interface Props {
  id: string;
  row: Ranking["ranking"][number];
  papers: number;
}

export function RankRow({ id, row, papers }: Props) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  const { from, width, at } = barOf(row, papers);
  return (
    <li>
      <span className="rank">{row.rank}</span>
      <PaperLine paper={row.paper} />
      <div className="place">
        <div className="interval" aria-hidden>
          <span className="range" style={{ insetInlineStart: `${from}%`, inlineSize: `${width}%` }} />
          <span className="mark" style={{ insetInlineStart: `calc((100% - 3px) * ${at / 100})` }} />
        </div>
        <small className="muted">
          {row.low !== null && row.high !== null && t("rank.between", { low: row.low, high: row.high })}
          {row.score !== null && ` · ${number(row.score, { style: "percent", maximumFractionDigits: 0 })}`}
        </small>
        <button type="button" className="quiet" aria-expanded={isOpen} disabled={!row.comparisons} onClick={() => open(!isOpen)}>
          {t("rank.comparisons", { n: row.comparisons })}
        </button>
      </div>
      {isOpen && <Verdicts id={id} paper={row.paper.id} />}
    </li>
  );
}

function Verdicts({ id, paper }: { id: string; paper: string }) {
  const { data, error, refetch } = useVerdicts(id, paper, true);
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading as="rows" />;
  return (
    <ul className="verdicts">
      {data.map((verdict) => (
        <Verdict key={`${verdict.first.id} ${verdict.second.id} ${verdict.made}`} verdict={verdict} paper={paper} />
      ))}
    </ul>
  );
}

function Verdict({ verdict, paper }: { verdict: PairVerdict; paper: string }) {
  const { t } = useWords();
  const other = verdict.first.id === paper ? verdict.second : verdict.first;
  const isSided = verdict.preferred === "first" || verdict.preferred === "second";
  const isBetter = isSided && verdict[verdict.preferred as "first" | "second"].id === paper;
  return (
    <li>
      <span className={`badge ${isBetter ? "good" : ""}`}>{t(isSided ? (isBetter ? "rank.better" : "rank.worse") : `rank.${verdict.preferred as "tie" | "skip"}`)}</span>
      <PaperLine paper={other} />
      {verdict.reason && <p>{verdict.reason}</p>}
      {verdict.citations.map((citation) => (
        <blockquote key={citation.spans[0]?.id ?? citation.marker}>
          {citation.quote} <CitationChip citation={citation} />
        </blockquote>
      ))}
      <small className="muted">{verdict.by === "user" ? t("rank.you") : <ModelNames names={[verdict.by.replace(/^model:/, "")]} />}</small>
    </li>
  );
}
