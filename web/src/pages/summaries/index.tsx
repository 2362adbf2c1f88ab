/** Summaries: have a model write them, and read them sentence by sentence with what they rest on. */
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { BookOpenText } from "lucide-react";
import { useEffect } from "react";
import { api, body } from "../../api/client";
import { begin, cancel, useJob } from "../../api/jobs";
import type { components } from "../../api/schema";
import type { Paper } from "../../api/types";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { ModelFirst, NeedsModel } from "../../parts/NoModel";
import { useParams } from "../../parts/params";
import { byline, titleOf } from "../../parts/PaperLine";
import { Progress } from "../../parts/Progress";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import { Choose, type Wish } from "./Choose";
import "./summaries.css";
import { PaperSummaries } from "./PaperSummaries";

type Report = components["schemas"]["SummariseReport"];

export default function SummariesPage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const isReadOnly = useReadOnly();
  const start = useMutation({
    mutationFn: (wish: Wish) => begin("/summaries", wish),
    onSuccess: (job) => change({ job, choose: null }),
  });
  const job = params.get("job") ?? undefined;
  const paper = params.get("paper") ?? "";
  return (
    <div className="page summaries">
      <h1>{t("page.summaries")}</h1>
      {!isReadOnly && !start.error && <ModelFirst />}
      {!isReadOnly && <Choose chosen={params.getAll("choose")} isBusy={start.isPending} onBegin={start.mutate} />}
      {start.error && <NeedsModel error={start.error} />}
      {job && <Run job={job} />}
      <div className="both">
        <List chosen={paper} onChoose={(id) => change({ paper: id })} />
        {paper && <PaperSummaries key={paper} paper={paper} />}
      </div>
    </div>
  );
}

/** A run as it goes on, and what came of it. */
function Run({ job }: { job: string }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const { events, state, error } = useJob(job);
  const last = events.findLast((event) => event.kind === "progress");
  const end = events.at(-1);
  const written = last?.done ?? 0;
  useEffect(() => {
    if (written || state !== "running") void queries.invalidateQueries({ queryKey: ["summarised"] });
  }, [queries, written, state]);
  if (error) return <NeedsModel error={error} />;
  if (state === "running")
    return (
      <div className="card going" role="status">
        <Progress label={String(last?.detail || t("summaries.writing"))} done={written} total={last?.total ?? 0} />
        <button type="button" onClick={() => cancel(job).catch(toastError)}>
          {t("cancel")}
        </button>
      </div>
    );
  if (end?.kind === "cancelled") return <p className="muted">{t("summaries.cancelled")}</p>;
  return end?.kind === "done" ? <Outcome report={end.result as Report} /> : null;
}

function Outcome({ report }: { report: Report }) {
  const { t } = useWords();
  const { summarised, failed, already, short, left, stopped, notes } = report;
  return (
    <div className="card" role="status">
      <p>
        <strong>{t("summaries.done", { n: summarised.length })}</strong> {already > 0 && t("summaries.already", { n: already })}{" "}
        {short > 0 && t("summaries.short", { n: short })} {left > 0 && t("summaries.left", { n: left })}
      </p>
      {stopped && <p>{stopped}</p>}
      {notes.map((note) => (
        <p key={note} className="muted">
          <Remedy text={note} />
        </p>
      ))}
      {failed.length > 0 && (
        <details>
          <summary>{t("summaries.failed", { n: failed.length })}</summary>
          <ul>
            {failed.map((failure) => (
              <li key={failure.paper}>
                {failure.paper}: <Remedy text={failure.reason} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function List({ chosen, onChoose }: { chosen: string; onChoose: (id: string) => void }) {
  const { t } = useWords();
  const list = useInfiniteQuery({
    queryKey: ["summarised"],
    queryFn: ({ pageParam }) => body(api.GET("/api/v1/summaries", { params: { query: { after: pageParam } } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next,
  });
  if (list.error) return <Trouble error={list.error} onRetry={list.refetch} />;
  if (!list.data) return <Loading as="cards" />;
  const papers = list.data.pages.flatMap((page) => page.papers) as Paper[];
  if (!papers.length)
    return (
      <Empty icon={BookOpenText} title={t("summaries.none")}>
        <p>{t("summaries.none_hint")}</p>
      </Empty>
    );
  return (
    <nav className="summarised" aria-label={t("summaries.papers")}>
      <ul>
        {papers.map((paper) => (
          <li key={paper.id}>
            <button type="button" aria-current={paper.id === chosen || undefined} onClick={() => onChoose(paper.id)}>
              <span>{titleOf(paper)}</span>
              <small className="muted">{[byline(paper), paper.year].filter(Boolean).join(" · ")}</small>
            </button>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
          {t("summaries.further")}
        </button>
      )}
    </nav>
  );
}
