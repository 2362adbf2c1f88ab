/** What most, and fewest, sentences speak of; and having entities found, where nobody has. */
import { useQueryClient } from "@tanstack/react-query";
import { type LucideIcon, Sparkles, Waypoints } from "lucide-react";
import { Problem } from "../../api/client";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { JobLine } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { useRankedEntities, useVocabularies } from "./queries";
import { Subjects, useSubjectsTogether } from "./Subjects";
import { Vocabularies } from "./Vocabularies";

export function FrequentEntities({ onEntity }: { onEntity: (id: string) => void }) {
  const { t } = useWords();
  const most = useRankedEntities(false);
  const least = useRankedEntities(true);
  if (most.error) return <Trouble error={most.error} onRetry={most.refetch} />;
  if (!most.data) return <Loading />;
  if (!most.data.length) return <GettingStarted />;
  return (
    <>
      <div className="explored">
        {([most, least] as const).map(({ data }, at) => (
          <section key={at} aria-labelledby={`explored${at}`}>
            <h2 id={`explored${at}`}>{t(at ? "graph.least" : "graph.most")}</h2>
            <ol>
              {data?.map((entity) => (
                <li key={entity.id}>
                  <button type="button" className="link" onClick={() => onEntity(entity.id)}>
                    {entity.name}
                  </button>
                  <span className="muted">{t("graph.count", { n: entity.sentences, papers: entity.papers })}</span>
                </li>
              ))}
            </ol>
          </section>
        ))}
      </div>
      <LinkJobs isLinked />
    </>
  );
}

/** Nothing was found of entities yet: what the papers are about, then the vocabulary that fits them, then all others. */
function GettingStarted() {
  const { t } = useWords();
  const together = useSubjectsTogether();
  const vocabularies = useVocabularies().data;
  if (together.isLoading || !vocabularies) return <Loading as="cards" />;
  const hasSubjects = Boolean(together.data?.subjects.length);
  return (
    <>
      {together.data && <Subjects overview={together.data} />}
      <section className="names-of-field" aria-labelledby="names-of-field">
        <h2 id="names-of-field">{t(hasSubjects ? "graph.next" : "graph.none")}</h2>
        {vocabularies.length ? (
          <LinkJobs />
        ) : (
          <>
            <p>{t("graph.no.vocabulary")}</p>
            <Vocabularies fitting={together.data?.vocabulary} />
          </>
        )}
      </section>
    </>
  );
}

/** Why there is nothing to show of an entity: no paper speaks of it, or something failed. */
export function UnmentionedEntity({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useWords();
  if (!(error instanceof Problem) || error.status !== 404) return <Trouble error={error} onRetry={onRetry} />;
  return (
    <Empty icon={Waypoints} title={error.message}>
      <p>{t("graph.unspoken.how")}</p>
      <LinkJobs />
    </Empty>
  );
}

/** The jobs that find entities in papers, and that read what is stated of them; or what they lack. */
export function LinkJobs({ isLinked }: { isLinked?: boolean }) {
  const { t } = useWords();
  const vocabularies = useVocabularies().data;
  if (!vocabularies) return null;
  if (!vocabularies.length)
    return (
      <>
        <p>{t("graph.no.vocabulary")}</p>
        <Vocabularies />
      </>
    );
  const names = vocabularies.map((vocabulary) => vocabulary.name).join(", ");
  return (
    <div className="linking">
      <LinkJob verb="link" how={t("graph.link.how", { names })} icon={Waypoints} />
      {isLinked && <LinkJob verb="relate" how={t("graph.relate.how")} icon={Sparkles} />}
    </div>
  );
}

function LinkJob({ verb, how, icon: Icon }: { verb: "link" | "relate"; how: string; icon: LucideIcon }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [params, change] = useParams();
  const running = useJobs().data?.find((listedJob) => listedJob.verb === `graph.${verb}` && listedJob.state === "running")?.job;
  const job = params.get(verb) ?? running;
  const ended = ({ state }: FollowedJob) => {
    if (state === "done") change({ [verb]: null }, true);
    for (const name of ["entities", "graph", "discover", "mentions"]) void queries.invalidateQueries({ queryKey: [name] });
  };
  return (
    <>
      {job && <JobLine key={job} job={job} name={t(verb === "link" ? "graph.linking" : "graph.relating")} onEnd={ended} />}
      {!running && (
        <IfWritable>
          <p className="muted">{how}</p>
          <button type="button" onClick={() => begin(`/${verb}`).then((id) => change({ [verb]: id }, true)).catch(toastError)}>
            <Icon size={16} aria-hidden />
            {t(`graph.${verb}`)}
          </button>
        </IfWritable>
      )}
    </>
  );
}
