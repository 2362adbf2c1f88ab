/** What the server does: the jobs that run, and the last that ended. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { api, body } from "../../api/client";
import { cancel } from "../../api/jobs";
import type { JobRow } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";

export default function ActivityPage() {
  const { t } = useWords();
  const queries = useQueryClient();
  const jobs = useQuery({
    queryKey: ["jobs"],
    queryFn: () => body(api.GET("/api/v1/jobs")) as Promise<{ jobs: JobRow[] }>,
    refetchInterval: 2000,
  });
  if (jobs.error) return <Trouble error={jobs.error} onRetry={jobs.refetch} />;
  if (!jobs.data) return <Loading />;
  if (!jobs.data.jobs.length) return <Empty icon={Activity} title={t("activity.none")} />;
  const end = async (job: string) => {
    await cancel(job);
    await queries.invalidateQueries({ queryKey: ["jobs"] });
  };
  return (
    <div className="page">
      <h1>{t("page.activity")}</h1>
      <ul className="rows">
        {[...jobs.data.jobs].reverse().map((one) => (
          <li key={one.job}>
            <strong>{one.verb}</strong>
            <span className={`state ${one.state}`}>{t(`state.${one.state}` as Key)}</span>
            {one.state === "running" && (
              <button type="button" onClick={() => end(one.job)}>
                {t("cancel")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
