import { useEffect, useRef } from "react";
import { cancel, type FollowedJob, useJob } from "../api/jobs";
import type { JobEvent } from "../api/types";
import { type Key, useWords } from "../i18n";
import { translateText } from "../i18n/translation";
import { inWords, timeLeft } from "./timeLeft";
import { toastError } from "./toast";
import { Trouble } from "./Trouble";
import "./JobLine.css";

type Progress = Extract<JobEvent, { kind: "progress" }> & { detail?: string; files?: [number, number]; papers?: number };

/** What a job told last of how far it is; its share is null where it is not known. */
export function progressOf({ events }: Pick<FollowedJob, "events">): { stage: string; detail: string; share: number | null; files: [number, number] } {
  const last = events.findLast((event): event is Progress => event.kind === "progress");
  const share = last && last.total > 0 ? Math.min(1, last.done / last.total) : null;
  return { stage: last?.stage ?? "", detail: last?.detail ?? "", share, files: last?.files ?? [0, 0] };
}

interface Props {
  job: string;
  name: string;
  /** When it has ended, however. */
  onEnd?: (followed: FollowedJob) => void;
}

/** A job: how far it is, and a button to end it. */
export function JobLine({ job, name, onEnd }: Props) {
  const followed = useJob(job);
  const ended = useRef("");
  useEffect(() => {
    if (followed.state === "running" || ended.current === job) return;
    ended.current = job;
    onEnd?.(followed);
  }, [followed, job, onEnd]);
  return <JobState followed={followed} name={name} onCancel={() => cancel(job).catch(toastError)} />;
}

interface StateProps {
  followed: FollowedJob;
  name: string;
  onCancel: () => void;
  /** That it ended well is told otherwise. */
  isEndKnown?: boolean;
}

export function JobState({ followed, name, onCancel, isEndKnown = false }: StateProps) {
  const { t } = useWords();
  const { stage, detail, share, files } = progressOf(followed);
  const left = timeLeft(followed.events);
  const counted = files[1] > 1 ? t("progress.files", { done: files[0], n: files[1] }) : "";
  const doing = [[translateText(t, stage), detail].filter(Boolean).join(": "), counted, left === null ? "" : inWords(left, t)].filter(Boolean).join(" · ");
  if (followed.error) return <Trouble error={followed.error} />;
  return (
    <div className="job-line">
      <div>
        <strong>{name}</strong>{" "}
        {!(isEndKnown && followed.state === "done") && (
          <span className={`state ${followed.state}`}>{t(`state.${followed.state}` as Key)}</span>
        )}
      </div>
      {followed.state === "running" && (
        <>
          <progress value={share ?? undefined} max={1} aria-label={name} />
          <p className="muted">{followed.isAway ? t("job.away") : doing || t(followed.events.length ? "job.starting" : "job.waiting")}</p>
          <button type="button" onClick={onCancel} aria-label={t("job.cancel", { name })}>
            {t("cancel")}
          </button>
        </>
      )}
    </div>
  );
}
