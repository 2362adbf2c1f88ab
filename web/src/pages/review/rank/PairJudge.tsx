/** "Which of these two?": pairs are judged by a person, with keys. */
import { Trophy } from "lucide-react";
import { useState } from "react";
import type { RankPair } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Empty } from "../../../parts/Empty";
import { Loading } from "../../../parts/Loading";
import { Progress } from "../../../parts/Progress";
import { Trouble } from "../../../parts/Trouble";
import { useReading } from "../../../reader/reading";
import { useKeys } from "../../../shell/keys";
import { type Preference, usePair } from "./ranking";

const SIDES = ["first", "second"] as const;

export function PairJudge({ id }: { id: string }) {
  const { t } = useWords();
  const { pair, judge } = usePair(id);
  const [reason, type] = useState("");
  const { first, second } = pair.data ?? { first: null, second: null };
  const say = (preferred: Preference) => {
    if (!first || !second || judge.isPending) return;
    judge.mutate({ preferred, reason: reason.trim() });
    type("");
  };
  useKeys([
    { keys: "1", does: "rank.prefer.first", run: () => say("first") },
    { keys: "2", does: "rank.prefer.second", run: () => say("second") },
    { keys: "0", does: "rank.tie", run: () => say("tie") },
    { keys: "s", does: "rank.skip", run: () => say("skip") },
  ]);
  if (pair.error) return <Trouble error={pair.error} onRetry={pair.refetch} />;
  if (!pair.data) return <Loading />;
  if (!first || !second)
    return (
      <Empty icon={Trophy} title={t("rank.no_pair")}>
        <p>{t("rank.no_pair.how")}</p>
      </Empty>
    );
  return (
    <section aria-label={t("rank.which", { criterion: pair.data.criterion })}>
      <h2>{t("rank.which", { criterion: pair.data.criterion })}</h2>
      <Progress label={t("rank.progress")} done={pair.data.comparisons} total={pair.data.budget} />
      <div className="sides pair" aria-busy={judge.isPending} aria-live="polite">
        {SIDES.map((side, at) => (
          <Side key={side} candidate={pair.data[side]!} number={at + 1} onPrefer={() => say(side)} isBusy={judge.isPending} />
        ))}
      </div>
      <div className="decide">
        <div className="tools">
          <button type="button" disabled={judge.isPending} onClick={() => say("tie")}>
            {t("rank.tie")} <kbd>0</kbd>
          </button>
          <button type="button" className="quiet" disabled={judge.isPending} onClick={() => say("skip")}>
            {t("rank.skip")} <kbd>s</kbd>
          </button>
          <input value={reason} maxLength={1000} onChange={(event) => type(event.target.value)} aria-label={t("rank.reason")} placeholder={t("rank.reason")} autoComplete="off" />
        </div>
      </div>
    </section>
  );
}

interface SideProps {
  candidate: NonNullable<RankPair["first"]>;
  number: number;
  onPrefer: () => void;
  isBusy: boolean;
}

/** A paper as its judge sees it: who wrote it, and where it was published, is hidden until the reader is opened. */
function Side({ candidate, number, onPrefer, isBusy }: SideProps) {
  const { t } = useWords();
  const { open } = useReading();
  return (
    <article className="card">
      <h3>{candidate.title}</h3>
      <p className="abstract">{candidate.text}</p>
      <div className="tools">
        <button type="button" className="primary" disabled={isBusy} onClick={onPrefer}>
          {t("rank.prefer")} <kbd>{number}</kbd>
        </button>
        <button type="button" className="quiet" onClick={() => open({ paper: candidate.paper })}>
          {t("rank.read")}
        </button>
      </div>
    </article>
  );
}
