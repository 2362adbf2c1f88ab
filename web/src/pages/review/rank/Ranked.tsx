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
  one: Ranking["ranking"][number];
  papers: number;
}

export function Ranked({ id, one, papers }: Props) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  const { from, width, at } = barOf(one, papers);
  return (
    <li>
      <span className="rank">{one.rank}</span>
      <PaperLine paper={one.paper} />
      <div className="place">
        <div className="interval" aria-hidden>
          <span className="range" style={{ insetInlineStart: `${from}%`, inlineSize: `${width}%` }} />
          <span className="mark" style={{ insetInlineStart: `calc((100% - 3px) * ${at / 100})` }} />
        </div>
        <small className="muted">
          {one.low !== null && one.high !== null && t("rank.between", { low: one.low, high: one.high })}
          {one.score !== null && ` · ${number(one.score, { style: "percent", maximumFractionDigits: 0 })}`}
        </small>
        <button type="button" className="quiet" aria-expanded={isOpen} disabled={!one.comparisons} onClick={() => open(!isOpen)}>
          {t("rank.comparisons", { n: one.comparisons })}
        </button>
      </div>
      {isOpen && <Verdicts id={id} paper={one.paper.id} />}
    </li>
  );
}

function Verdicts({ id, paper }: { id: string; paper: string }) {
  const { data, error, refetch } = useVerdicts(id, paper, true);
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading as="rows" />;
  return (
    <ul className="verdicts">
      {data.map((one) => (
        <Verdict key={`${one.first.id} ${one.second.id} ${one.made}`} one={one} paper={paper} />
      ))}
    </ul>
  );
}

function Verdict({ one, paper }: { one: PairVerdict; paper: string }) {
  const { t } = useWords();
  const other = one.first.id === paper ? one.second : one.first;
  const isSided = one.preferred === "first" || one.preferred === "second";
  const isBetter = isSided && one[one.preferred as "first" | "second"].id === paper;
  return (
    <li>
      <span className={`badge ${isBetter ? "good" : ""}`}>{t(isSided ? (isBetter ? "rank.better" : "rank.worse") : `rank.${one.preferred as "tie" | "skip"}`)}</span>
      <PaperLine paper={other} />
      {one.reason && <p>{one.reason}</p>}
      {one.citations.map((said) => (
        <blockquote key={said.spans[0]?.id ?? said.marker}>
          {said.quote} <CitationChip citation={said} />
        </blockquote>
      ))}
      <small className="muted">{one.by === "user" ? t("rank.you") : <ModelNames names={[one.by.replace(/^model:/, "")]} />}</small>
    </li>
  );
}
