/** Directions: what the vectors of the papers mean, why two are near, what differs, and what nobody has joined yet. */
import { useQueryClient } from "@tanstack/react-query";
import { Compass, Sparkles } from "lucide-react";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import { Problem } from "../../api/client";
import { type Key, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { JobLine } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { useDirections } from "./queries";
import { Compare } from "./Compare";
import "./directions.css";
import { Hypotheses } from "./Hypotheses";
import { List } from "./List";
import { Explanation } from "./Explanation";

const VIEWS = ["", "why", "compare", "hypotheses"] as const;

export default function DirectionsPage() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const view = VIEWS.find((name) => name === params.get("view")) ?? "";
  const directions = useDirections();
  const isNone = directions.error instanceof Problem && directions.error.status === 404;
  return (
    <div className="page wide directions">
      <h1>{t("page.directions")}</h1>
      <div className="views" role="group" aria-label={t("directions.views")}>
        {VIEWS.map((name) => (
          <button key={name} type="button" className="quiet" aria-pressed={view === name} onClick={() => setParams({ view: name || null })}>
            {t(`directions.view.${name || "list"}` as Key)}
          </button>
        ))}
      </div>
      {view === "hypotheses" ? (
        <Hypotheses />
      ) : isNone ? (
        <Empty icon={Compass} title={t("directions.none")}>
          <p>{t("directions.none.how")}</p>
          <BuildJob />
        </Empty>
      ) : directions.error ? (
        <Trouble error={directions.error} onRetry={directions.refetch} />
      ) : !directions.data ? (
        <Loading as="cards" />
      ) : view === "why" ? (
        <Explanation />
      ) : view === "compare" ? (
        <Compare />
      ) : (
        <List list={directions.data}>
          <BuildJob isThere />
        </List>
      )}
    </div>
  );
}

/** The job that trains directions, or adds new papers to them. */
function BuildJob({ isThere }: { isThere?: boolean }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const running = useJobs().data?.find((job) => job.verb === "directions.build" && job.state === "running")?.job;
  const job = params.get("building") ?? running;
  const ended = ({ state }: FollowedJob) => {
    if (state !== "done") return; // the reason stays
    change({ building: null }, true);
    void queries.invalidateQueries({ queryKey: ["directions"] });
  };
  return (
    <>
      {job && <JobLine key={job} job={job} name={t("directions.building")} onEnd={ended} />}
      {!running && (
        <IfWritable>
          <button type="button" className={isThere ? "quiet" : "primary"} onClick={() => begin("/directions").then((id) => change({ building: id }, true)).catch(toastError)}>
            <Sparkles size={16} aria-hidden />
            {t(isThere ? "directions.update" : "directions.build")}
          </button>
        </IfWritable>
      )}
    </>
  );
}
