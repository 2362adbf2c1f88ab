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
import { IfWritable } from "../../shell/health";
import { resultOf } from "./sources";
import { ServicesInUse, useTitles } from "./Services";
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
  const searchesQuery = useQuery({ queryKey: ["searches"], queryFn: async () => (await body(api.GET("/api/v1/sources/searches"))).searches });
  const forget = useMutation({
    mutationFn: (name: string) => send("DELETE", `/sources/searches/${encodeURIComponent(name)}`),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ queryKey: ["searches"] }),
  });
  const isBusy = !!job && followed.state === "running";
  const news = resultOf<OnlineResults>(followed);
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
  if (searchesQuery.error) return <Trouble error={searchesQuery.error} onRetry={searchesQuery.refetch} />;
  if (!searchesQuery.data) return <Loading as="cards" />;
  return (
    <section className="view online" aria-label={t("library.news")}>
      <header className="tools">
        <h2>{t("news.title")}</h2>
        <IfWritable>{searchesQuery.data.length > 1 && asking("")}</IfWritable>
      </header>
      <GoOnline />
      {!searchesQuery.data.length && (
        <Empty icon={Newspaper} title={t("news.none")}>
          <p>{t("news.none.how")}</p>
          <Link className="button" href="/library/online">
            {t("library.online")}
          </Link>
        </Empty>
      )}
      <ul className="kept-searches">
        {searchesQuery.data.map((search) => (
          <li key={search.name} className="card">
            <div>
              <h3>{search.name}</h3>
              {search.query !== search.name && <p>{search.query}</p>}
              <p className="muted">
                {[search.asked ? t("news.asked", { at: moment(search.asked) }) : t("news.never"), t("news.known", { n: search.known }), search.services.map(titles).join(", ")].join(" · ")}
              </p>
            </div>
            <IfWritable>
              <span className="doing">
                {asking(search.name)}
                <button type="button" className="quiet" onClick={() => drop(search.name)} aria-label={t("news.forget.named", { name: search.name })}>
                  <Trash2 size={16} aria-hidden />
                  {t("news.forget")}
                </button>
              </span>
            </IfWritable>
          </li>
        ))}
      </ul>
      {searchesQuery.data.length > 0 && <ServicesInUse />}
      {job && <JobState followed={followed} name={news?.query || t("news.asking")} onCancel={() => cancel(job).catch(toastError)} isEndKnown />}
      {news && (
        <>
          <Works key={job} search={news} adding={adding} none={t("news.nothing")} />
          {news.results.length > 0 && <p className="muted">{t("news.once")}</p>}
        </>
      )}
    </section>
  );
}
