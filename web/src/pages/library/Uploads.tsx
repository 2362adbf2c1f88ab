/** Files that are sent and read: how far each is, and what became of it. */
import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect } from "react";
import { cancel, type FollowedJob, useJob, useJobs } from "../../api/jobs";
import { type Key, type Translate, useWords } from "../../i18n";
import { JobState } from "../../parts/JobLine";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { forget, namesOf, retryUpload, stop, type Upload, useUploads } from "../../parts/uploads";

export interface FileReport {
  outcome: string;
  path: string;
  reason: string;
  papers: number;
}
const VERBS = new Set(["add", "retry", "samples.add"]);
/** Jobs followed at one time: each is a connection, and a browser has six. */
const MOST_FOLLOWED = 2;

/** What a job told of its files; of one that has ended, all of them. */
export function collectFiles({ events }: Pick<FollowedJob, "events">): FileReport[] {
  const filedFiles: FileReport[] = [];
  for (const event of events) {
    const report = event as unknown as { kind: string; outcome: string; file: { path: string; reason: string; papers: number }; result?: { files?: FileReport[] } };
    if (report.kind === "file") filedFiles.push({ outcome: report.outcome, path: report.file.path, reason: report.file.reason, papers: report.file.papers });
    if (report.kind === "done" && report.result?.files) return report.result.files.map(({ outcome, path, reason, papers }) => ({ outcome, path, reason, papers }));
  }
  return filedFiles;
}

/** What became of files, in a line: the papers that are new, and the files that failed. */
export function summaryOf(files: readonly FileReport[], t: Translate): string {
  const papers = files.reduce((sum, file) => sum + (file.outcome === "added" || file.outcome === "updated" ? file.papers : 0), 0);
  const failed = files.filter((file) => file.outcome === "failed").length;
  const parts = [papers ? t("library.uploads.papers", { n: papers }) : "", failed ? t("library.uploads.failed", { n: failed }) : ""];
  return parts.filter(Boolean).join(" · ") || t("library.uploads.nothing");
}

/** The jobs that read files, the oldest first: so they wait for one another. */
export function useAddJobs() {
  return (useJobs().data ?? []).filter((job) => VERBS.has(job.verb)).toReversed();
}

export function Uploads() {
  const { t } = useWords();
  const uploads = useUploads();
  const adding = useAddJobs();
  const queries = useQueryClient();
  const sent = new Set(uploads.map((upload) => upload.job));
  const running = adding.filter((job) => job.state === "running");
  const here = uploads.filter((upload) => upload.job);
  const others = running.filter((job) => !sent.has(job.job)).map((job) => job.job);
  const jobs = [...new Set([...here.map((upload) => upload.job!), ...others])];
  const live = new Set(running.slice(0, MOST_FOLLOWED).map((job) => job.job));
  const number = uploads.length;
  useEffect(() => {
    if (number) void queries.invalidateQueries({ queryKey: ["jobs"] });
  }, [number, jobs.length, queries]);
  const waiting = uploads.filter((upload) => !upload.job);
  if (!waiting.length && !jobs.length) return null;
  const ended = here.filter((upload) => adding.some((job) => job.job === upload.job && job.state !== "running"));
  const isDone = !waiting.length && jobs.length === ended.length;
  return (
    <section className="uploads card" aria-label={t(isDone ? "library.uploads.done" : "library.uploads")}>
      {!isDone && (
        <header>
          <h2>{t("library.uploads")}</h2>
          {ended.length > 0 && (
            <button type="button" className="link" onClick={() => ended.forEach((upload) => forget(upload.id))}>
              {t("library.uploads.clear")}
            </button>
          )}
        </header>
      )}
      <ul>
        {waiting.map((upload) => (
          <li key={upload.id}>
            <UploadLine upload={upload} />
          </li>
        ))}
        {jobs.map((job) => {
          const state = adding.find((addingJob) => addingJob.job === job)?.state ?? "running";
          const isFollowed = live.has(job) || state !== "running";
          const upload = ended.find((endedUpload) => endedUpload.job === job);
          return (
            <li key={job}>
              <FileJobLine job={job} name={namesOf(job) || t("library.reading")} isFollowed={isFollowed} onClose={upload && (() => forget(upload.id))} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function UploadLine({ upload: { id, name, more, size, sent, state, error } }: { upload: Upload }) {
  const { t } = useWords();
  const all = more ? t("library.and", { name, n: more }) : name;
  return (
    <div className="job-line">
      <div>
        <strong>{all}</strong> <span className="muted">{t(`library.upload.${state}` as Key)}</span>
      </div>
      {state === "sending" && <progress value={size ? sent / size : 0} max={1} aria-label={all} />}
      {error && <Trouble error={error} />}
      {state === "waiting" || state === "sending" ? (
        <button type="button" onClick={() => stop(id)} aria-label={t("job.cancel", { name: all })}>
          {t("cancel")}
        </button>
      ) : (
        <span className="doing">
          <button type="button" onClick={() => retryUpload(id)}>
            {t("again")}
          </button>
          <button type="button" onClick={() => forget(id)} aria-label={t("library.upload.forget", { name: all })}>
            {t("close")}
          </button>
        </span>
      )}
    </div>
  );
}

/** `onClose`: it has ended. */
function FileJobLine({ job, name, isFollowed, onClose }: { job: string; name: string; isFollowed: boolean; onClose?: () => void }) {
  const { t } = useWords();
  const followed = useJob(isFollowed ? job : undefined);
  const files = collectFiles(followed);
  const isRead = followed.state === "done" && files.length > 0;
  const listed = isRead ? files.filter((file) => file.outcome === "failed") : files;
  return (
    <>
      <div className="read">
        {isRead ? <p role="status">{summaryOf(files, t)}</p> : <JobState followed={followed} name={name} onCancel={() => cancel(job).catch(toastError)} />}
        {onClose && (
          <button type="button" className="plain" onClick={onClose} aria-label={t("library.uploads.close", { name })} title={t("close")}>
            <X size={16} aria-hidden />
          </button>
        )}
      </div>
      {listed.length > 0 && (
        <ul className="filed">
          {listed.slice(-12).map((file) => (
            <li key={file.path}>
              <span className={`badge ${file.outcome === "failed" ? "bad" : file.outcome === "added" || file.outcome === "updated" ? "good" : ""}`}>
                {t(`library.outcome.${file.outcome}` as Key)}
              </span>
              <span>{file.path.split("/").at(-1)}</span>
              {file.reason && (
                <p className="muted">
                  <Remedy text={file.reason} />
                </p>
              )}
            </li>
          ))}
          {listed.length > 12 && <li className="muted">{t("library.outcomes", { n: listed.length })}</li>}
        </ul>
      )}
    </>
  );
}
