/** What most, and fewest, sentences speak of; and having entities found, where nobody has. */
import { useQueryClient } from "@tanstack/react-query";
import { Waypoints } from "lucide-react";
import { begin, type Followed, useJobs } from "../../api/jobs";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { JobLine } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { Changing } from "../../shell/health";
import { useExplored, useVocabularies } from "./asking";

export function Explored({ onEntity }: { onEntity: (id: string) => void }) {
  const { t } = useWords();
  const most = useExplored(false);
  const least = useExplored(true);
  if (most.error) return <Trouble error={most.error} onRetry={most.refetch} />;
  if (!most.data) return <Loading />;
  if (!most.data.length)
    return (
      <Empty icon={Waypoints} title={t("graph.none")}>
        <Linking />
      </Empty>
    );
  return (
    <>
      <div className="explored">
        {([most, least] as const).map(({ data }, at) => (
          <section key={at} aria-labelledby={`explored${at}`}>
            <h2 id={`explored${at}`}>{t(at ? "graph.least" : "graph.most")}</h2>
            <ol>
              {data?.map((one) => (
                <li key={one.id}>
                  <button type="button" className="link" onClick={() => onEntity(one.id)}>
                    {one.label}
                  </button>
                  <span className="muted">{t("graph.count", { n: one.sentences, papers: one.papers })}</span>
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      <Linking />
    </>
  );
}

/** The job that finds entities in papers, or what it lacks. */
function Linking() {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const vocabularies = useVocabularies();
  const running = useJobs().data?.find((one) => one.verb === "link" && one.state === "running")?.job;
  const job = params.get("job") ?? running;
  const ended = ({ state }: Followed) => {
    if (state === "done") change({ job: null }, true);
    void queries.invalidateQueries({ queryKey: ["entities"] });
  };
  if (vocabularies.data && !vocabularies.data.length)
    return (
      <p>
        {t("graph.no.vocabulary")} <code>conspectus vocabulary add FILE</code>
      </p>
    );
  return (
    <div className="linking">
      {job && <JobLine key={job} job={job} name={t("graph.linking")} onEnd={ended} />}
      {!running && vocabularies.data && (
        <Changing>
          <p className="muted">{t("graph.link.how", { names: vocabularies.data.map((one) => one.name).join(", ") })}</p>
          <button type="button" onClick={() => begin("/link").then((id) => change({ job: id }, true)).catch(toastError)}>
            <Waypoints size={16} aria-hidden />
            {t("graph.link")}
          </button>
        </Changing>
      )}
    </div>
  );
}
