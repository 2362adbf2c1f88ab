/** What was learnt of names from gold: learning it from files, and taking it back. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { GraduationCap } from "lucide-react";
import { useRef } from "react";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import { begin, type FollowedJob, useJobs } from "../../api/jobs";
import type { NameRule } from "../../api/types";
import { useWords } from "../../i18n";
import { JobLine } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { toast, toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";

const KEY = ["concepts", "name-rules"];
/** Rules that are listed of each kind. */
const RULE_LIMIT = 100;

export function Names() {
  const { t } = useWords();
  const queries = useQueryClient();
  const rulesQuery = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await get<{ rules: NameRule[] }>(address("/name-rules"), signal)).rules,
  });
  const forget = useMutation({
    mutationFn: () => send("DELETE", "/name-rules/learnt"),
    onSuccess: () => {
      queries.setQueryData<NameRule[]>(KEY, (rules) => rules?.filter((rule) => rule.source !== "learnt"));
      toast(t("names.forgotten"));
    },
    onError: toastError,
  });
  if (rulesQuery.error) return <Trouble error={rulesQuery.error} onRetry={rulesQuery.refetch} />;
  if (!rulesQuery.data) return <Loading as="rows" />;
  const learnt = rulesQuery.data.filter((rule) => rule.source === "learnt");
  return (
    <div className="names">
      <p className="muted">{t("names.how")}</p>
      <LearnNames />
      {learnt.length > 0 && (
        <>
          <p role="status">{t("names.next", { n: learnt.length })}</p>
          <IfWritable>
            <button type="button" disabled={forget.isPending} onClick={() => forget.mutate()}>
              {t("names.forget")}
            </button>
          </IfWritable>
          <div className="explored">
            {(["use", "leave"] as const).map((verdict) => (
              <Rules key={verdict} title={t(`names.${verdict}`)} rules={learnt.filter((rule) => rule.verdict === verdict)} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

function Rules({ title, rules }: { title: string; rules: readonly NameRule[] }) {
  const { t } = useWords();
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {rules.slice(0, RULE_LIMIT).map((rule) => (
          <li key={`${rule.name} ${rule.concept}`}>
            {rule.name} <span className="muted">{rule.concept}</span>
          </li>
        ))}
      </ul>
      {rules.length > RULE_LIMIT && <p className="muted">{t("names.more", { n: rules.length - RULE_LIMIT })}</p>}
    </section>
  );
}

/** The job that learns, or the button that begins it. */
function LearnNames() {
  const { t } = useWords();
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const [params, change] = useParams();
  const running = useJobs().data?.find((known) => known.verb === "vocabularies.learn" && known.state === "running")?.job;
  const job = params.get("learn") ?? running;
  const ended = ({ state }: FollowedJob) => {
    if (state === "done") change({ learn: null }, true);
    for (const key of [KEY, ["jobs"]]) void queries.invalidateQueries({ queryKey: key });
  };
  const learn = (files: FileList) => {
    const form = new FormData();
    for (const file of files) form.append("file", file, file.name);
    begin("/name-rules/learn", form)
      .then((id) => change({ learn: id }, true))
      .catch(toastError);
  };
  return (
    <>
      {job && <JobLine key={job} job={job} name={t("names.learning")} onEnd={ended} />}
      {!running && (
        <IfWritable>
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label={t("names.files")}
            onChange={({ currentTarget }) => {
              if (currentTarget.files?.length) learn(currentTarget.files);
              currentTarget.value = "";
            }}
          />
          <button type="button" onClick={() => chooser.current?.click()}>
            <GraduationCap size={16} aria-hidden />
            {t("names.learn")}
          </button>
        </IfWritable>
      )}
    </>
  );
}
