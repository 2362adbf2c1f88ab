/** The jobs that make the map: its first time, what came since, fitted again, and names of its regions. */
import { useQueryClient } from "@tanstack/react-query";
import { Map as MapIcon, Settings2 } from "lucide-react";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import { useWords } from "../../i18n";
import { JobLine } from "../../parts/JobLine";
import { Menu } from "../../parts/Menu";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import type { TextKind } from "./queries";

const VERBS = ["build", "names"];
const BYS = ["phrases", "vocabulary", "model"] as const;

/** Begins a job, whose id then stands in the address. */
function useBegin() {
  const [, change] = useParams();
  return (path: string, body: unknown) =>
    void begin(path, body)
      .then((id) => change({ job: id }, true))
      .catch(toastError);
}

/** The job that runs, or that failed. */
export function BuildProgress() {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const running = useJobs().data?.find((job) => VERBS.includes(job.verb) && job.state === "running");
  const job = params.get("job") ?? running?.job;
  const ended = ({ state }: FollowedJob) => {
    if (state === "done") change({ job: null }, true);
    for (const name of ["map", "points", "overlay", "topics", "gaps", "trends", "texts"]) void queries.invalidateQueries({ queryKey: [name] });
  };
  return job ? <JobLine key={job} job={job} name={t(running?.verb === "names" ? "map.naming" : "map.making")} onEnd={ended} /> : null;
}

export function MakeFirst({ of }: { of: TextKind }) {
  const { t } = useWords();
  const start = useBegin();
  const isRunning = useJobs().data?.some((job) => VERBS.includes(job.verb) && job.state === "running");
  return (
    <IfWritable>
      <button type="button" className="primary" disabled={isRunning} onClick={() => start("/map", { of })}>
        <MapIcon size={16} aria-hidden />
        {t("map.make")}
      </button>
    </IfWritable>
  );
}

/** What can be done with the map that there is. */
export function Remake({ of }: { of: TextKind }) {
  const { t } = useWords();
  const start = useBegin();
  return (
    <IfWritable>
      <Menu name={t("map.care")} icon={Settings2}>
        <button type="button" onClick={() => start("/map", { of })}>
          {t("map.update")}
        </button>
        <button type="button" onClick={() => start("/map", { of, refit: true })}>
          {t("map.refit")}
        </button>
        {BYS.map((by) => (
          <button key={by} type="button" onClick={() => start("/map/names", { of, by })}>
            {t(`map.name.by.${by}`)}
          </button>
        ))}
      </Menu>
    </IfWritable>
  );
}
