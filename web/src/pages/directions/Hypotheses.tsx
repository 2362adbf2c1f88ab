/** Hypotheses: entities that no sentence joins, what speaks for looking there, and what later papers said. */
import { Telescope } from "lucide-react";
import { type FormEvent, useState } from "react";
import { begin, cancel, useJob } from "../../api/jobs";
import type { Citation, HypothesisLead, HypothesisReport, TestableHypothesis } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { Empty } from "../../parts/Empty";
import { JobState } from "../../parts/JobLine";
import { useParams } from "../../parts/params";
import { ModelFirst } from "../../parts/NoModel";
import { Remedy } from "../../parts/Remedy";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { EntityBox } from "../graph/Box";
import { EntityName } from "../graph/EntityName";

const SOURCES = ["entities", "directions", "contradictions", "gaps"] as const;

export function Hypotheses() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const source = SOURCES.find((one) => one === params.get("from")) ?? "entities";
  const entities = source === "entities" ? params.getAll("entity") : [];
  const job = params.get("job") ?? undefined;
  const followed = useJob(job);
  const done = followed.events.find((one) => one.kind === "done") as unknown as { result: HypothesisReport } | undefined;
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const until = Number(new FormData(event.currentTarget).get("until")) || undefined;
    begin("/hypotheses", { entities, from: source, ...(until ? { until } : {}) })
      .then((id) => setParams({ job: id, until: until ? String(until) : null }, true))
      .catch(toastError);
  };
  return (
    <section aria-label={t("directions.view.hypotheses")}>
      <p className="muted">{t(`hypotheses.how.${source}` as Key)}</p>
      {source === "contradictions" && <ModelFirst />}
      <div className="asking">
        <label>
          {t("hypotheses.from")}{" "}
          <select value={source} onChange={(event) => setParams({ from: event.target.value, job: null })}>
            {SOURCES.map((one) => (
              <option key={one} value={one}>
                {t(`hypotheses.from.${one}` as Key)}
              </option>
            ))}
          </select>
        </label>
        {source === "entities" && <EntityBox label={t("hypotheses.entity")} onChoose={(id) => setParams({ entity: [...new Set([...entities, id])], job: null })} />}
        {entities.map((id) => (
          <button key={id} type="button" className="chip" aria-label={t("search.without", { what: id })} onClick={() => setParams({ entity: entities.filter((other) => other !== id), job: null })}>
            <EntityName id={id} /> ×
          </button>
        ))}
        <form onSubmit={ask}>
          <label>
            {t("discover.until")} <input name="until" inputMode="numeric" maxLength={4} defaultValue={params.get("until") ?? ""} placeholder={t("discover.until.any")} />
          </label>
          <button type="submit" className="primary" disabled={!!job && followed.state === "running"}>
            <Telescope size={16} aria-hidden />
            {t("hypotheses.do")}
          </button>
        </form>
      </div>
      {job && followed.state === "running" && <JobState followed={followed} name={t("hypotheses.doing")} onCancel={() => cancel(job).catch(toastError)} />}
      {followed.state === "failed" && followed.error && <Trouble error={followed.error} />}
      {done && <Found found={done.result} />}
    </section>
  );
}

function Found({ found }: { found: HypothesisReport }) {
  const { t } = useWords();
  if (!found.hypotheses.length && !found.leads.length)
    return (
      <Empty icon={Telescope} title={t("hypotheses.none")}>
        <p>{found.source === "entities" ? t("discover.none.how") : <Remedy text={found.note} />}</p>
      </Empty>
    );
  return (
    <>
      <p className="muted" role="status">
        {found.source === "entities" ? t("hypotheses.told", { n: found.hypotheses.length, all: found.candidates, papers: found.papers }) : <Remedy text={found.note} />}
      </p>
      <ol className="hypotheses">
        {found.leads.map((lead) => (
          <Lead key={lead.rank} lead={lead} />
        ))}
        {found.hypotheses.map((one) => (
          <One key={one.rank} of={found} one={one} />
        ))}
      </ol>
    </>
  );
}

function Lead({ lead }: { lead: HypothesisLead }) {
  const { t } = useWords();
  return (
    <li className="card">
      <h2>{lead.title}</h2>
      <ul className="ledger">
        {lead.ledger.map((link) => (
          <li key={link.text}>
            {link.text} <span className={link.basis === "not stated" ? "badge warn" : "badge good"}>{t(`hypotheses.basis.${link.basis}` as Key)}</span>
            {link.citation && <Said said={link.citation} />}
          </li>
        ))}
      </ul>
      <p>{lead.test}</p>
      {lead.later && (
        <div>
          <span className={lead.later.papers ? "badge good" : "badge"}>{t("hypotheses.later")}</span> {lead.later.text} {lead.later.year}
          {lead.later.first && <Said said={lead.later.first} />}
        </div>
      )}
    </li>
  );
}

function One({ of, one }: { of: HypothesisReport; one: TestableHypothesis }) {
  const { t } = useWords();
  const nameOf = (id: string) => of.nodes.find((node) => node.id === id)?.name ?? id;
  const [isOpen, open] = useState(false);
  const names = { one: nameOf(one.source), two: nameOf(one.target) };
  return (
    <li className="card">
      <h2>{t("discover.maybe", names)}</h2>
      <p className="muted">
        {t("hypotheses.by", { names: one.bridges.map(nameOf).join(", ") })} {one.papers > 0 && t("discover.beside", { n: one.papers })}
      </p>
      {one.proposal && (
        <p>
          <span className="badge warn">{t("hypotheses.novel")}</span> {one.proposal.novel}
        </p>
      )}
      <p>{one.proposal?.test ? `${t("hypotheses.test")} ${one.proposal.test}` : one.test}</p>
      {of.until !== null && <Later one={one} until={of.until} />}
      <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {t("hypotheses.ledger", { n: one.ledger.length })}
      </button>
      {isOpen && (
        <ul className="ledger">
          {one.ledger.map((link) => (
            <li key={`${link.source} ${link.target}`}>
              {nameOf(link.source)} – {nameOf(link.target)}{" "}
              <span className={link.basis === "stated" ? "badge good" : "badge"}>{t(`hypotheses.basis.${link.basis}` as Key)}</span>
              {link.citation && <Said said={link.citation} />}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const Said = ({ said }: { said: Citation }) => (
  <>
    <blockquote>{said.quote}</blockquote> <CitationChip citation={said} />
  </>
);

function Later({ one, until }: { one: TestableHypothesis; until: number }) {
  const { t } = useWords();
  if (!one.later) return <p className="muted">{t("discover.never", { year: String(until) })}</p>;
  return (
    <div>
      <span className="badge good">{t("discover.later", { year: String(one.later.year) })}</span> {t("graph.count", { n: one.later.sentences, papers: one.later.papers })}{" "}
      {one.later.first && <Said said={one.later.first} />}
    </div>
  );
}
