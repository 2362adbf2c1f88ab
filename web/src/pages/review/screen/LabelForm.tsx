/** The paper to screen next, with the criteria always beside it: included, excluded for a reason, or the last one again. */
import { Check, CircleStop, Undo2, X } from "lucide-react";
import { useState } from "react";
import { useWords } from "../../../i18n";
import { Empty } from "../../../parts/Empty";
import { Loading } from "../../../parts/Loading";
import { NeedsModel } from "../../../parts/NoModel";
import { PaperLine } from "../../../parts/PaperLine";
import { type Binding, useKeys } from "../../../shell/keys";
import { useReading } from "../../../reader/reading";
import { Criteria } from "./Criteria";
import { ScreenProgress } from "./ScreenProgress";
import { type ScreeningLabel, useLabels, type Who } from "./screening";

export function LabelForm({ id, who }: { id: string; who: Who }) {
  const { t } = useWords();
  const { open } = useReading();
  const [isExcluding, exclude] = useState(false);
  const { next, paper, reopened, canGoBack, back, label } = useLabels(id, who);
  const reasons = Object.keys(next.data?.criteria.exclude ?? {});
  const give = (decision: ScreeningLabel, reason = "") => {
    if (!paper || label.isPending) return;
    exclude(false);
    label.mutate({ paper, label: decision, reason });
  };
  const wishExclude = () => (reasons.length ? exclude(!isExcluding) : give("exclude"));
  const goBack = () => (exclude(false), back());
  const keys: Binding[] = [
    { keys: "i", does: "screen.include", run: () => give("include") },
    { keys: "e", does: "screen.exclude", run: wishExclude },
    { keys: "u", does: "screen.undo", run: goBack },
    { keys: "o", does: "screen.open", run: () => paper && open({ paper: paper.id }) },
    ...(isExcluding ? ["", ...reasons].slice(0, 10).map((reason, at): Binding => ({ keys: String(at), does: "screen.reason", run: () => give("exclude", reason) })) : []),
  ];
  useKeys(keys);
  if (next.error) return <NeedsModel error={next.error} onRetry={next.refetch} />;
  if (!next.data) return <Loading />;
  return (
    <div className="screening">
      <div className="one" aria-live="polite" aria-busy={label.isPending}>
        {paper ? (
          <article className="card">
            {reopened && (
              <p>
                <span className="badge warn">{t("screen.again", { label: t(reopened.label === "include" ? "screen.included" : "screen.excluded") })}</span>
              </p>
            )}
            <PaperLine paper={paper} />
            <p className="abstract">{paper.abstract || t("screen.no_abstract")}</p>
            {!reopened && <p className="muted">{t("screen.why", { why: next.data.reason })}</p>}
            {!reopened && next.data.same.length > 0 && <p className="muted">{t("screen.same", { n: next.data.same.length })}</p>}
          </article>
        ) : (
          <Empty icon={CircleStop} title={t("screen.none")}>
            <p>{t("screen.none.how")}</p>
          </Empty>
        )}
        <div className="decide">
          <div className="tools">
          <button type="button" className="primary" disabled={!paper || label.isPending} onClick={() => give("include")}>
            <Check size={16} aria-hidden /> {t("screen.include")} <kbd>i</kbd>
          </button>
          <button type="button" disabled={!paper || label.isPending} aria-expanded={reasons.length ? isExcluding : undefined} onClick={wishExclude}>
            <X size={16} aria-hidden /> {t("screen.exclude")} <kbd>e</kbd>
          </button>
          <button type="button" className="quiet" disabled={!canGoBack || label.isPending} onClick={goBack}>
            <Undo2 size={16} aria-hidden /> {t("screen.undo")} <kbd>u</kbd>
          </button>
          </div>
        {isExcluding && (
          <div className="tools" role="group" aria-label={t("screen.reason")}>
            {["", ...reasons].map((reason, at) => (
              <button key={reason} type="button" onClick={() => give("exclude", reason)}>
                {reason || t("screen.no_reason")} {at < 10 && <kbd>{at}</kbd>}
              </button>
            ))}
          </div>
        )}
        </div>
      </div>
      <aside className="beside-it">
        <Criteria criteria={next.data.criteria} />
        <ScreenProgress id={id} now={next.data} />
      </aside>
    </div>
  );
}
