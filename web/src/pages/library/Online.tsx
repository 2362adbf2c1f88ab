/** Papers from elsewhere: identifiers and links are added, words are searched by services. */
import { BellPlus, Plus, Search } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { begin, cancel, useJob } from "../../api/jobs";
import type { OnlineResults } from "../../api/types";
import { useWords } from "../../i18n";
import { GoOnline, useOnline } from "../../parts/GoOnline";
import { JobLine, JobState } from "../../parts/JobLine";
import { type Values, useParams } from "../../parts/params";
import { toastError } from "../../parts/toast";
import { IfWritable, useReadOnly } from "../../shell/health";
import { useKeys } from "../../shell/keys";
import { MOST, readTyped, requestOf, resultOf, useServices, yearsOf } from "./sources";
import { ServicesInUse } from "./Services";
import { AddedReport, type AddOnline, FullTexts, useAddOnline, Works } from "./Works";

const COUNTS = [25, 50, 100, 200];
const FIELDS = ["author", "venue", "mesh"] as const;

export function Online() {
  const { t } = useWords();
  const [params, change] = useParams();
  const [typed, type] = useState(params.get("q") ?? "");
  const isReadOnly = useReadOnly();
  const isOnline = useOnline();
  const adding = useAddOnline();
  const job = params.get("job");
  const { names, others, words } = readTyped(typed);
  const isAdding = names.length > 0;
  const box = useRef<HTMLTextAreaElement>(null);
  useKeys([{ keys: "/", does: "online.box", run: () => box.current?.select() }]);
  const narrowed = FIELDS.some((field) => params.get(field));
  const canGo = isOnline !== false && (isAdding ? !isReadOnly && !adding.isBusy && names.length <= MOST : !!words || narrowed);
  const go = () => {
    if (!canGo) return;
    if (isAdding) return change({ job: null, keeping: null, q: null }, true), void adding.add(names);
    const request = { ...requestOf(params), words, k: Number(params.get("k")) || COUNTS[0] };
    begin("/sources/find", request).then((id) => change({ q: words, job: id, adding: null, keeping: null }), toastError);
  };
  return (
    <section className="view online" aria-label={t("online.title")}>
      <h2>{t("online.title")}</h2>
      <GoOnline />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <label className="above">
          {t("online.box")}
          <textarea
            ref={box}
            value={typed}
            rows={isAdding && names.length > 1 ? Math.min(8, names.length + 1) : 2}
            spellCheck={false}
            aria-describedby="online-hint"
            onChange={(event) => type(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              go();
            }}
          />
        </label>
        <p className="muted" id="online-hint">
          {t("online.hint")}
        </p>
        {isAdding && others.length > 0 && <p role="status">{t("online.others", { words: others.slice(0, 20).join(" ") })}</p>}
        {names.length > MOST && <p role="alert">{t("online.most", { n: names.length, most: MOST })}</p>}
        {isAdding && isReadOnly && <p role="status">{t("online.read_only")}</p>}
        {!isAdding && <SearchFilters params={params} onChange={(values) => change(values, true)} />}
        <div className="tools">
          {isAdding && !isReadOnly && <FullTexts adding={adding} />}
          <button type="submit" className="primary" disabled={!canGo}>
            {isAdding ? <Plus size={16} aria-hidden /> : <Search size={16} aria-hidden />}
            {isAdding ? t("online.add", { n: names.length }) : t("online.find")}
          </button>
        </div>
      </form>
      <ServicesInUse />
      {job ? <OnlineHits key={job} job={job} adding={adding} /> : <AddedReport adding={adding} />}
    </section>
  );
}

/** Which services are asked, and what else a work has to have. */
function SearchFilters({ params, onChange }: { params: URLSearchParams; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const services = useServices();
  const chosen = params.getAll("from");
  const [first = "", last = ""] = (params.get("year") ?? "").split("..");
  const count = chosen.length + ["year", "k", ...FIELDS].filter((field) => params.get(field)).length;
  const searched = services.data?.filter((service) => service.finds.length) ?? [];
  const year = (label: "online.from" | "online.to", value: string, years: (value: string) => string) => (
    <label className="above">
      {t(label)}
      <input inputMode="numeric" pattern="\d{4}" maxLength={4} size={6} value={value} onChange={(event) => onChange({ year: years(event.target.value.replace(/\D/g, "")) })} />
    </label>
  );
  return (
    <details open={count > 0 || undefined}>
      <summary>
        {t("online.more")} {count > 0 && <span className="badge">{count}</span>}
      </summary>
      <fieldset>
        <legend>{t("online.services")}</legend>
        {searched.map((service) => (
          <label key={service.name} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(service.name)}
              disabled={service.needs_key && !service.has_key}
              onChange={() => onChange({ from: chosen.includes(service.name) ? chosen.filter((other) => other !== service.name) : [...chosen, service.name] })}
            />
            {service.title} {service.needs_key && !service.has_key && <span className="muted">({t("online.key.missing")})</span>}
          </label>
        ))}
        <p className="muted">{t("online.services.usual")}</p>
      </fieldset>
      <div className="fields">
        {year("online.from", first, (value) => yearsOf(value, last))}
        {year("online.to", last, (value) => yearsOf(first, value))}
        {FIELDS.map((name) => (
          <label key={name} className="above">
            {t(`online.${name}`)}
            <input maxLength={2000} value={params.get(name) ?? ""} onChange={(event) => onChange({ [name]: event.target.value })} />
          </label>
        ))}
        <label className="above">
          {t("online.k")}
          <select value={params.get("k") ?? COUNTS[0]} onChange={(event) => onChange({ k: event.target.value })}>
            {COUNTS.map((k) => (
              <option key={k}>{k}</option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}

function OnlineHits({ job, adding }: { job: string; adding: AddOnline }) {
  const { t } = useWords();
  const [params] = useParams();
  const [request] = useState(() => requestOf(params)); // as it was asked, whatever is typed since
  const followed = useJob(job);
  const search = resultOf<OnlineResults>(followed);
  return (
    <>
      <JobState followed={followed} name={search?.query || t("online.finding")} onCancel={() => cancel(job).catch(toastError)} isEndKnown />
      {search && (
        <>
          <IfWritable>
            <SaveSearch request={request} />
          </IfWritable>
          <Works search={search} adding={adding} none={t("online.none")} />
        </>
      )}
    </>
  );
}

/** Keep the search that was asked, so that News can ask it again. */
function SaveSearch({ request }: { request: ReturnType<typeof requestOf> }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const keeping = params.get("keeping");
  const [isKept, end] = useState(false);
  const keep = () => begin("/sources/searches", request).then((job) => change({ keeping: job }, true), toastError);
  return (
    <div className="keeping">
      {keeping ? (
        <JobLine job={keeping} name={t("online.keep")} onEnd={({ state }) => end(state === "done")} />
      ) : (
        <button type="button" onClick={keep}>
          <BellPlus size={16} aria-hidden />
          {t("online.keep")}
        </button>
      )}
      {isKept && <Link href="/library/news">{t("library.news")}</Link>}
    </div>
  );
}
