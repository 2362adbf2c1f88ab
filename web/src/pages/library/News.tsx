/** Kept searches: when each was asked last, what is new since, and an end to it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Newspaper, RefreshCw, Trash2 } from "lucide-react";
import { Link } from "wouter";
import { send } from "../../api/call";
import { api, body } from "../../api/client";
import { begin, cancel, useJob } from "../../api/jobs";
import type { OnlineResults } from "../../api/types";
import { moment, useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { Empty } from "../../parts/Empty";
import { GoOnline, useOnline } from "../../parts/GoOnline";
import { JobState } from "../../parts/JobLine";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { Changing } from "../../shell/health";
import { resultOf } from "./sources";
import { AskedServices, useTitles } from "./Services";
import { useAddOnline, Works } from "./Works";

export function News() {
  const { t } = useWords();
  const queries = useQueryClient();
  const titles = useTitles();
  const [params, change] = useParams();
  const job = params.get("job") ?? undefined;
  const followed = useJob(job);
  const adding = useAddOnline();
  const isOnline = useOnline();
  const kept = useQuery({ queryKey: ["searches"], queryFn: async () => (await body(api.GET("/api/v1/sources/searches"))).searches });
  const forget = useMutation({
    mutationFn: (name: string) => send("DELETE", `/sources/searches/${encodeURIComponent(name)}`),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: ["searches"] }),
  });
  const isBusy = !!job && followed.state === "running";
  const found = resultOf<OnlineResults>(followed);
  const ask = (name: string) => begin("/sources/news", { name }).then((begun) => change({ job: begun, adding: null }), toastError);
  const drop = async (name: string) => {
    const text = t("news.forget.what");
    if (await confirm({ title: t("news.forget.one", { name }), text, action: t("news.forget"), isDanger: true })) forget.mutate(name);
  };
  const asking = (name: string) => (
    <button type="button" disabled={!isOnline || isBusy} onClick={() => ask(name)} aria-label={name ? t("news.ask.one", { name }) : undefined}>
      <RefreshCw size={16} aria-hidden />
      {t(name ? "news.ask" : "news.ask.all")}
    </button>
  );
  if (kept.error) return <Trouble error={kept.error} onRetry={kept.refetch} />;
  if (!kept.data) return <Loading as="cards" />;
  return (
    <section className="view online" aria-label={t("library.news")}>
      <header className="tools">
        <h2>{t("news.title")}</h2>
        <Changing>{kept.data.length > 1 && asking("")}</Changing>
      </header>
      <GoOnline />
      {!kept.data.length && (
        <Empty icon={Newspaper} title={t("news.none")}>
          <p>{t("news.none.how")}</p>
          <Link className="button" href="/library/online">
            {t("library.online")}
          </Link>
        </Empty>
      )}
      <ul className="kept-searches">
        {kept.data.map((one) => (
          <li key={one.name} className="card">
            <div>
              <h3>{one.name}</h3>
              {one.query !== one.name && <p>{one.query}</p>}
              <p className="muted">
                {[one.asked ? t("news.asked", { at: moment(one.asked) }) : t("news.never"), t("news.known", { n: one.known }), one.services.map(titles).join(", ")].join(" · ")}
              </p>
            </div>
            <Changing>
              <span className="doing">
                {asking(one.name)}
                <button type="button" className="quiet" onClick={() => drop(one.name)} aria-label={t("news.forget.named", { name: one.name })}>
                  <Trash2 size={16} aria-hidden />
                  {t("news.forget")}
                </button>
              </span>
            </Changing>
          </li>
        ))}
      </ul>
      {kept.data.length > 0 && <AskedServices />}
      {job && <JobState followed={followed} name={found?.query || t("news.asking")} onCancel={() => cancel(job).catch(toastError)} isEndKnown />}
      {found && (
        <>
          <Works key={job} found={found} adding={adding} none={t("news.nothing")} />
          {found.results.length > 0 && <p className="muted">{t("news.once")}</p>}
        </>
      )}
    </section>
  );
}
