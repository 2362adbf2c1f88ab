/** Figures that nobody has looked at: that there are some, and the job that looks at them. */
import { useQueryClient } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { useState } from "react";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import { useWords } from "../../i18n";
import { JobLine } from "../../parts/JobLine";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { IfWritable } from "../../shell/health";

const VERB = "figures encode";
const JOB = "figures.encode";

/** Of how many papers a note says that nobody has looked at their figures; 0: it says something else. */
export const countUnencoded = (note: string): number =>
  note.includes(`\`${VERB}\``) ? Number(/\b\d+\b/.exec(note)?.[0] ?? 0) : 0;

export function EncodeNotice({ note }: { note: string }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const others = useJobs().data?.find((job) => job.verb === JOB && job.state === "running");
  const [isDone, done] = useState(false);
  const job = params.get("job") ?? others?.job;
  const lacking = countUnencoded(note);
  const look = () =>
    begin("/figures/encode")
      .then((id) => change({ job: id }, true))
      .catch(toastError);
  const ended = ({ state }: FollowedJob) => {
    done(state === "done");
    if (state === "done") change({ job: null }, true);
    void queries.invalidateQueries({ queryKey: ["figures"] });
  };
  if (!job && !note) return null;
  return (
    <div className="card looking">
      {job && <JobLine key={job} job={job} name={t("figures.looking")} onEnd={ended} />}
      {note && !lacking && (
        <p role="status">
          <Remedy text={note} />
        </p>
      )}
      {lacking > 0 && <p role="status">{t(isDone ? "figures.undrawn" : "figures.unlooked", { n: lacking })}</p>}
      {lacking > 0 && !others && (
        <IfWritable>
          <button type="button" className={isDone ? "quiet" : "primary"} onClick={look}>
            <Eye size={16} aria-hidden />
            {t(isDone ? "again" : "figures.look")}
          </button>
        </IfWritable>
      )}
    </div>
  );
}
