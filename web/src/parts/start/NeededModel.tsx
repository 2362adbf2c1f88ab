/** The model that reading and searching need: where it is not here yet, it is downloaded by one click, and files wait for it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useEffect } from "react";
import { get } from "../../api/call";
import { address } from "../../api/client";
import { begin, useJobs } from "../../api/jobs";
import type { NeededModel } from "../../api/types";
import { number, useWords } from "../../i18n";
import { IfWritable } from "../../shell/health";
import { JobLine } from "../JobLine";
import { toastError } from "../toast";
import { setHold } from "../uploads";
import "./start.css";

const KEY = ["models", "needed"];

function useNeededModel() {
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => get<NeededModel>(address("/models/needed"), signal), staleTime: Infinity }).data;
}

/** Whether the model is not here; false as long as nobody knows. */
export const useIsModelMissing = () => useNeededModel()?.is_here === false;

/** Above every page, as long as the model is not here. */
export function NeedModel() {
  const { t } = useWords();
  const queries = useQueryClient();
  const needed = useNeededModel();
  const isMissing = needed?.is_here === false;
  const fetching = useJobs().data?.find((job) => job.verb === "models.fetch");
  const job = fetching?.job;
  useEffect(() => setHold(isMissing), [isMissing]);
  if (!needed || !isMissing) return null;
  return (
    <section className="need-model card" aria-label={t("needed.title")}>
      <div>
        <strong>{t("needed.title")}</strong>
        <p>{t("needed.what", { name: needed.title.split(",")[0]!, mb: number(needed.megabytes), licence: needed.licence })}</p>
        {job && <JobLine key={job} job={job} name={t("needed.fetching")} onEnd={({ state }) => state === "done" && void queries.invalidateQueries()} />}
      </div>
      {fetching?.state !== "running" && (
        <IfWritable>
          <button type="button" className="primary" onClick={() => begin("/models/fetch").catch(toastError)}>
            <Download size={16} aria-hidden />
            {t("needed.fetch", { mb: number(needed.megabytes) })}
          </button>
        </IfWritable>
      )}
    </section>
  );
}
