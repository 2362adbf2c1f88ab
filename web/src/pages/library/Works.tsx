/** Works that were found online, to be chosen and added; and what became of those that were. */
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { begin, cancel, useJob } from "../../api/jobs";
import type { AddedWorks, OnlineWork, OnlineResults } from "../../api/types";
import { useWords } from "../../i18n";
import { JobState } from "../../parts/JobLine";
import { byline } from "../../parts/PaperLine";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { useSelection } from "../../parts/selection";
import { toastError } from "../../parts/toast";
import { useReading } from "../../reader/reading";
import { useReadOnly } from "../../shell/health";
import { addressOf, nameOf, resultOf } from "./sources";
import { ServiceReports, useTitles } from "./Services";
import { tex } from "../../parts/tex";

/** Add papers by their identifiers: the job and the wish for full texts stand in the address. */
export function useAddOnline() {
  const [params, change] = useParams();
  const job = params.get("adding") ?? undefined;
  const followed = useJob(job);
  const isFull = params.has("full");
  const add = (papers: readonly string[], foundFor = "") =>
    begin("/sources/papers", { papers, full_text: isFull, found_for: foundFor }).then((adding) => change({ adding }, true), toastError);
  return { job, followed, isFull, isBusy: !!job && followed.state === "running", add, fetchFull: (full: boolean) => change({ full }, true) };
}
export type AddOnline = ReturnType<typeof useAddOnline>;

export function FullTexts({ adding }: { adding: AddOnline }) {
  const { t } = useWords();
  return (
    <label className="check">
      <input type="checkbox" checked={adding.isFull} onChange={(event) => adding.fetchFull(event.target.checked)} />
      {t("online.full")}
    </label>
  );
}

/** How far it is with what is added, and what became of it: each that failed with its reason. */
export function AddedReport({ adding: { job, followed }, name, children }: { adding: Pick<AddOnline, "job" | "followed">; name?: string; children?: ReactNode }) {
  const { t } = useWords();
  if (!job) return null;
  const title = name ?? t("online.adding");
  const result = resultOf<AddedWorks>(followed);
  return (
    <section className="card added" aria-label={title}>
      <JobState followed={followed} name={title} onCancel={() => cancel(job).catch(toastError)} />
      {result && (
        <>
          <p role="status">{t("online.added", { n: result.added })}</p>
          <Reasons title={t("online.failed", { n: result.failed.length })} reasons={result.failed.map((failure) => [failure.path, failure.reason])} />
          <Unread unread={result.unread} />
        </>
      )}
      {children}
    </section>
  );
}

export function Unread({ unread }: { unread: readonly string[] }) {
  const { t } = useWords();
  return <Reasons title={t("online.unread", { n: unread.length })} reasons={unread.map((reason) => ["", reason])} />;
}

export function Reasons({ title, reasons }: { title: string; reasons: readonly (readonly [string, string])[] }) {
  if (!reasons.length) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="reasons">
        {reasons.map(([name, reason]) => (
          <li key={name + reason}>
            {name && <strong>{name}: </strong>}
            <Remedy text={reason} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The works of a search, each with a checkbox, and what the services did. */
export function Works({ search, adding, none }: { search: OnlineResults; adding: AddOnline; none: string }) {
  const { t } = useWords();
  const isReadOnly = useReadOnly();
  const { chosen, toggle, set, clear } = useSelection();
  const [sent, send] = useState<readonly string[]>([]);
  const failed = resultOf<AddedWorks>(adding.followed)?.failed.map((failure) => failure.path);
  const isAdded = (work: OnlineWork) => !!failed && sent.includes(nameOf(work.paper)) && !failed.includes(nameOf(work.paper));
  const troubles = search.services.filter((service) => service.note).length;
  const isSilent = troubles > 0 && troubles === search.services.length;
  const free = search.results.filter((work) => !work.in_library && !isAdded(work)).map((work) => nameOf(work.paper)).filter(Boolean);
  const selected = free.filter((name) => chosen.has(name));
  const add = () => {
    send((before) => [...before, ...selected]);
    void adding.add(selected, search.query);
    clear();
  };
  return (
    <section className="works" aria-label={t("online.results")}>
      <p role="status">
        {search.results.length ? t("online.found", { n: search.results.length }) : isSilent ? t("online.silent") : none}{" "}
        {search.results.length > 0 && search.services.some((service) => service.some_words) && `${t("online.some")} `}
        {troubles > 0 && !isSilent && t("online.trouble", { n: troubles })}
      </p>
      {search.results.length > 0 && !isReadOnly && (
        <div className="tools">
          <label className="check">
            <input
              type="checkbox"
              checked={free.length > 0 && selected.length === free.length}
              disabled={!free.length}
              onChange={(event) => (event.target.checked ? set(free) : clear())}
            />
            {t("online.all", { n: free.length })}
          </label>
          <FullTexts adding={adding} />
          <button type="button" className="primary" disabled={!selected.length || adding.isBusy} onClick={add}>
            <Plus size={16} aria-hidden />
            {t("online.add.selected", { n: selected.length })}
          </button>
        </div>
      )}
      <AddedReport adding={adding} />
      <ol>
        {search.results.map((work) => {
          const name = nameOf(work.paper);
          const choose = free.includes(name) && !isReadOnly ? (withShift: boolean) => toggle(name, free, withShift) : undefined;
          return <Work key={work.rank} work={work} library={work.in_library || (isAdded(work) ? name.replace(/^(doi|arxiv|pmid):/, "") : "")} isChosen={chosen.has(name)} onChoose={choose} />;
        })}
      </ol>
      <ServiceReports reports={search.services} />
    </section>
  );
}

interface WorkProps {
  work: OnlineWork;
  /** By what the library knows it; "": it is not there. */
  library: string;
  isChosen: boolean;
  onChoose?: (withShift: boolean) => void;
}

function Work({ work: { paper, services, open_access, retracted }, library, isChosen, onChoose }: WorkProps) {
  const { t } = useWords();
  const { open } = useReading();
  const titles = useTitles();
  const title = tex(paper.title) || nameOf(paper) || t("online.untitled");
  const address = addressOf(paper);
  const cited = paper.citation_count ? t("cited", { n: paper.citation_count }) : "";
  return (
    <li className="card work">
      <input
        type="checkbox"
        checked={isChosen}
        disabled={!onChoose}
        onChange={() => undefined}
        onClick={(event) => onChoose?.(event.shiftKey)}
        aria-label={t("select", { title })}
      />
      <div>
        <h3>
          {address ? (
            <a href={address} target="_blank" rel="noreferrer">
              {title}
            </a>
          ) : (
            title
          )}
        </h3>
        <p className="muted">{[byline(paper), paper.year, paper.venue, cited].filter(Boolean).join(" · ")}</p>
        <p className="facts">
          {retracted && <span className="badge bad">{t("online.retracted")}</span>}
          {library && (
            <button type="button" className="chip" onClick={() => open({ paper: library })}>
              {t("online.in_library")}
            </button>
          )}
          {open_access && <span className="badge good">{t("online.open")}</span>}
          {!library && !nameOf(paper) && <span className="badge warn">{t("online.no_identifier")}</span>}
          <span className="muted">{services.map(titles).join(", ")}</span>
        </p>
        {paper.abstract && (
          <details>
            <summary className="muted">{t("online.abstract")}</summary>
            <p>{paper.abstract}</p>
          </details>
        )}
      </div>
    </li>
  );
}
