/** What the server does: the jobs that run, as they go on, and the last that ended with what they gave. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Activity, ChevronRight } from "lucide-react";
import { Link, useSearchParams } from "wouter";
import { api, body } from "../../api/client";
import { cancel, useJob, useJobs } from "../../api/jobs";
import type { JobEvent, JobRow } from "../../api/types";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { Progress } from "../../parts/Progress";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import "./activity.css";
import { questionOf, describeEvent, progressShare, stateOf, verbOf, linkOf } from "./jobTexts";

export default function ActivityPage() {
  const { t } = useWords();
  const jobs = useJobs();
  return (
    <div className="page activity">
      <h1>{t("page.activity")}</h1>
      {jobs.error ? (
        <Trouble error={jobs.error} onRetry={jobs.refetch} />
      ) : !jobs.data ? (
        <Loading as="cards" />
      ) : jobs.data.length ? (
        <ul className="jobs">
          {jobs.data.map((job) => (
            <JobItem key={job.job} row={job} />
          ))}
        </ul>
      ) : (
        <Empty icon={Activity} title={t("activity.none")}>
          <p>{t("activity.none_hint")}</p>
        </Empty>
      )}
    </div>
  );
}

function JobItem({ row }: { row: JobRow }) {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const isRunning = row.state === "running";
  const { data } = useQuery({
    queryKey: ["job", row.job, row.state],
    queryFn: () => body(api.GET("/api/v1/jobs/{job}", { params: { path: { job: row.job } } })),
    refetchInterval: isRunning ? 1000 : false,
    staleTime: isRunning ? 0 : Infinity,
  });
  const event = data?.event as JobEvent | null | undefined;
  const isOpen = search.get("job") === row.job;
  const name = verbOf(row.verb, t);
  const link = linkOf(row, event);
  const ended = stateOf(row, t);
  const subject = questionOf(event);
  return (
    <li className="card job">
      <div className="head">
        <strong>{name}</strong>
        <span className={`state ${ended.look}`}>{ended.text}</span>
        <span className="acts">
          {link && <Link href={link}>{t(isRunning ? "activity.watch" : "activity.open")}</Link>}
          {isRunning && <CancelButton job={row.job} />}
        </span>
      </div>
      {subject && <p className="subject">{subject}</p>}
      {isRunning && event && <CurrentStep event={event} name={name} />}
      {event?.kind === "failed" && (
        <p className="failed">
          {event.error.message} <Remedy text={event.error.hint} />
        </p>
      )}
      <button
        type="button"
        className="link unfold"
        aria-expanded={isOpen}
        onClick={() => set(isOpen ? {} : { job: row.job }, { replace: true })}
      >
        <ChevronRight size={16} aria-hidden />
        {t("activity.log")}
      </button>
      {isOpen && <Log job={row.job} />}
    </li>
  );
}

function CurrentStep({ event, name }: { event: JobEvent; name: string }) {
  const { t } = useWords();
  return <Progress label={describeEvent(event, t) || name} {...(progressShare(event) ?? { done: 0, total: 0 })} />;
}

function CancelButton({ job }: { job: string }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => cancel(job),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: ["jobs"] }),
  });
  return (
    <button type="button" disabled={end.isPending || end.isSuccess} onClick={() => end.mutate()}>
      {t(end.isSuccess ? "activity.ending" : "cancel")}
    </button>
  );
}

const LAST = 200;

/** All that a job told. */
function Log({ job }: { job: string }) {
  const { t } = useWords();
  const { events } = useJob(job);
  const rows = events.flatMap((event) => {
    const text = describeEvent(event, t);
    return text ? [{ seq: event.seq, at: event.at, text }] : [];
  });
  if (!rows.length) return <p className="muted">{t("activity.silent")}</p>;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled with keys
    <ol className="log" tabIndex={0} aria-label={t("activity.log")}>
      {rows.slice(-LAST).map((row) => (
        <li key={row.seq}>
          <time dateTime={row.at}>{new Date(row.at).toLocaleTimeString()}</time>
          <span>{row.text}</span>
        </li>
      ))}
    </ol>
  );
}
