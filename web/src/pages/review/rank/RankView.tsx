/** A ranking: papers with the intervals of their ranks, what speaks against it, and the pairs to judge. */
import { useState } from "react";
import type { StoredReview, Ranking } from "../../../api/types";
import { number, useWords } from "../../../i18n";
import { Loading } from "../../../parts/Loading";
import { useParams } from "../../../parts/params";
import { useModelTitles } from "../../../parts/modelTitles";
import { Remedy } from "../../../parts/Remedy";
import { tex } from "../../../parts/tex";
import { toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { useReading } from "../../../reader/reading";
import { IfWritable } from "../../../shell/health";
import { pathOf, useBegin } from "../reviews";
import { whichOf } from "../Which";
import { PairJudge } from "./PairJudge";
import { RankRow } from "./RankRow";
import { PAGE_SIZE, ringOf, useRanking } from "./ranking";

/** Cycles that are named; the rest is counted. */
const CYCLES = 5;

export function RankView({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const [limit, setLimit] = useState(PAGE_SIZE);
  const rankingQuery = useRanking(review.id, limit);
  if (rankingQuery.error) return <Trouble error={rankingQuery.error} onRetry={rankingQuery.refetch} />;
  if (!rankingQuery.data) return <Loading as="rows" />;
  const { data } = rankingQuery;
  const isJudging = params.get("view") === "judge";
  return (
    <>
      <div className="tools">
        <div className="views" role="group" aria-label={t("rank.views")}>
          <button type="button" className="quiet" aria-pressed={!isJudging} onClick={() => change({ view: null })}>
            {t("rank.view.list")}
          </button>
          <IfWritable>
            <button type="button" className="quiet" aria-pressed={isJudging} onClick={() => change({ view: "judge" })}>
              {t("rank.view.judge")}
            </button>
          </IfWritable>
        </div>
        <p className="muted">{t("rank.compared", { n: data.comparisons, all: data.budget })}</p>
        <IfWritable>
          <GoOn review={review} ranking={data} />
          <AddPaper id={review.id} />
        </IfWritable>
      </div>
      {data.note && (
        <p className="muted">
          <Remedy text={data.note} />
        </p>
      )}
      {isJudging ? (
        <PairJudge id={review.id} />
      ) : (
        <>
          <ol className="ranked" aria-label={data.criterion}>
            {(data.comparisons ? data.ranking : []).map((row) => (
              <RankRow key={row.paper.id} id={review.id} row={row} papers={data.total} />
            ))}
          </ol>
          {!data.comparisons && <p role="status">{t("rank.none")}</p>}
          {data.comparisons > 0 && data.ranking.length < data.total && (
            <button type="button" disabled={rankingQuery.isPlaceholderData} onClick={() => setLimit(limit + PAGE_SIZE)}>
              {t("rank.shown", { n: data.ranking.length, total: data.total })}
            </button>
          )}
          <Against ranking={data} />
        </>
      )}
    </>
  );
}

/** Let the model go on, with more comparisons: narrower intervals. */
function GoOn({ review, ranking: { name, criterion, method, budget, comparisons, judges } }: { review: StoredReview; ranking: Ranking }) {
  const { t } = useWords();
  const start = useBegin();
  if (!Object.keys(judges).some((judge) => judge.startsWith("model:"))) return null;
  const body = { by: criterion, name, method, budget: comparisons < budget ? budget : Math.ceil(1.5 * budget), ...whichOf(review) };
  return (
    <button type="button" disabled={start.isPending} onClick={() => start.mutate({ path: pathOf("rank"), body }, { onError: toastError })}>
      {t("rank.more", { n: body.budget - comparisons })}
    </button>
  );
}

/** Put one more paper into the ranking: a few comparisons find its place. */
function AddPaper({ id }: { id: string }) {
  const { t } = useWords();
  const [paper, setPaper] = useState("");
  const start = useBegin();
  const add = () => start.mutate({ path: pathOf("rank", id, "/papers"), body: { paper: paper.trim() } }, { onSuccess: () => setPaper(""), onError: toastError });
  return (
    <details>
      <summary>{t("rank.add")}</summary>
      <form
        className="inline"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <input value={paper} onChange={(event) => setPaper(event.target.value)} aria-label={t("rank.add.which")} placeholder={t("rank.add.which")} autoComplete="off" />
        <button type="submit" disabled={start.isPending || !paper.trim()}>
          {t("rank.add.begin")}
        </button>
      </form>
    </details>
  );
}

const share = (value: number) => number(value, { style: "percent", maximumFractionDigits: 0 });
const two = (value: number) => number(value, { maximumFractionDigits: 2, signDisplay: "exceptZero" });
const points = (value: number) => number(100 * value, { maximumFractionDigits: 0, signDisplay: "exceptZero" });

/** What a reader should know before relying on the ranks: position, cycles, and what ranks follow. */
function Against({ ranking }: { ranking: Ranking }) {
  const { t } = useWords();
  const { open } = useReading();
  const { position_bias: position, cycles, agreement, bias, judges } = ranking;
  const title = useModelTitles(Object.keys(judges).map((by) => by.replace(/^model:/, "")));
  const biasNames = { venue: t("rank.bias.venue"), institution: t("rank.bias.institution"), "last author": t("rank.bias.last_author") };
  return (
    <section className="card against" aria-label={t("rank.against")}>
      <h2>{t("rank.against")}</h2>
      <ul>
        <li>{Object.entries(judges).map(([by, n]) => t("rank.judged", { by: by === "user" ? t("rank.you") : title(by.replace(/^model:/, "")), n })).join(" · ") || t("rank.judged.none")}</li>
        {position && <li>{t("rank.position", { value: points(position.value), low: points(position.low), high: points(position.high) })}</li>}
        {agreement.map((entry) => (
          <li key={entry.number}>{t("rank.agreement", { number: entry.number, tau: two(entry.tau), low: two(entry.low), high: two(entry.high), n: entry.papers })}</li>
        ))}
        {bias.map((finding) => (
          <li key={finding.property}>
            {t("rank.bias", { what: biasNames[finding.property as keyof typeof biasNames] ?? finding.property, share: share(finding.share), chance: share(finding.chance) })}{" "}
            {finding.share > finding.chance && <span className="badge warn">{t("rank.bias.more")}</span>}
          </li>
        ))}
      </ul>
      {cycles.length > 0 && (
        <details>
          <summary>{t("rank.cycles", { n: cycles.length })}</summary>
          <p className="muted">{t("rank.cycles.what")}</p>
          <ul className="cycles">
            {cycles.slice(0, CYCLES).map((cycle) => (
              <li key={cycle.join()}>
                {ringOf(cycle, String).map((paper, at) => (
                  <span key={at}>
                    {at > 0 && " › "}
                    <button type="button" className="link" onClick={() => open({ paper })}>
                      {tex(ranking.titles[paper] ?? paper)}
                    </button>
                  </span>
                ))}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
