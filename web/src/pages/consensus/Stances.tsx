/** What each paper says to the claim, with the sentences that carry it; and those that could not be judged. */
import { CircleSlash, Equal, ThumbsDown, ThumbsUp } from "lucide-react";
import { useSearchParams } from "wouter";
import type { Consensus, Stance } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { PaperLine } from "../../parts/PaperLine";
import { Remedy } from "../../parts/Remedy";
import { countsOf, STANCES, wordOf } from "./survey";

const ICONS = { supports: ThumbsUp, opposes: ThumbsDown, mixed: Equal, "not about it": CircleSlash };

export function Stances({ stances, unjudged }: { stances: Stance[]; unjudged: Consensus["unjudged"] }) {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const only = STANCES.find((kind) => kind === search.get("stance"));
  if (!stances.length && !unjudged.length) return null;
  const counts = countsOf(stances);
  const choose = (kind: string) =>
    set((before) => {
      const after = new URLSearchParams(before);
      if (kind) after.set("stance", kind);
      else after.delete("stance");
      return after;
    });
  const shownStances = only ? stances.filter((stance) => stance.stance === only) : stances;
  return (
    <section aria-label={t("consensus.papers")}>
      <div className="which" role="group" aria-label={t("consensus.show")}>
        <button type="button" aria-pressed={!only} onClick={() => choose("")}>
          {t("consensus.all")} <span className="muted">{stances.length}</span>
        </button>
        {STANCES.filter((kind) => counts[kind] > 0).map((kind) => (
          <button key={kind} type="button" aria-pressed={only === kind} onClick={() => choose(kind)}>
            {t(wordOf(kind))} <span className="muted">{counts[kind]}</span>
          </button>
        ))}
      </div>
      <ul className="stances">
        {shownStances.map((stance) => (
          <StanceItem key={stance.rank} stance={stance} />
        ))}
      </ul>
      {unjudged.length > 0 && (
        <>
          <h2>{t("consensus.unjudged")}</h2>
          <ul className="stances">
            {unjudged.map((entry) => (
              <li key={entry.rank} className="card">
                <PaperLine paper={entry.paper} />
                <p className="muted">
                  <Remedy text={entry.reason} />
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function StanceItem({ stance: { paper, stance, why, citations, outlying } }: { stance: Stance }) {
  const { t } = useWords();
  const Icon = ICONS[stance];
  return (
    <li className="card stance" data-stance={stance}>
      <div className="head">
        <PaperLine paper={paper} spans={citations.flatMap((citation) => citation.spans.map((span) => span.id))} />
        <p className="verdict">
          <Icon size={16} aria-hidden /> {t(wordOf(stance))}
        </p>
      </div>
      {outlying.outlier && (
        <p>
          <span className="badge warn" title={t("consensus.outlier_hint")}>
            {t("consensus.outlier")}
          </span>
        </p>
      )}
      {citations.map((citation) => (
        <blockquote key={citation.passage_id}>
          {citation.quote} <CitationChip citation={citation} />
        </blockquote>
      ))}
      {why && (
        <p className="muted">
          {t("consensus.why")} {why}
        </p>
      )}
    </li>
  );
}
