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
  const source = SOURCES.find((option) => option === params.get("from")) ?? "entities";
  const entities = source === "entities" ? params.getAll("entity") : [];
  const job = params.get("job") ?? undefined;
  const followed = useJob(job);
  const done = followed.events.find((event) => event.kind === "done") as unknown as { result: HypothesisReport } | undefined;
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
            {SOURCES.map((name) => (
              <option key={name} value={name}>
                {t(`hypotheses.from.${name}` as Key)}
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
      {done && <HypothesisResults report={done.result} />}
    </section>
  );
}

function HypothesisResults({ report }: { report: HypothesisReport }) {
  const { t } = useWords();
  if (!report.hypotheses.length && !report.leads.length)
    return (
      <Empty icon={Telescope} title={t("hypotheses.none")}>
        <p>{report.source === "entities" ? t("discover.none.how") : <Remedy text={report.note} />}</p>
      </Empty>
    );
  return (
    <>
      <p className="muted" role="status">
        {report.source === "entities" ? t("hypotheses.told", { n: report.hypotheses.length, all: report.candidates, papers: report.papers }) : <Remedy text={report.note} />}
      </p>
      <ol className="hypotheses">
        {report.leads.map((lead) => (
          <Lead key={lead.rank} lead={lead} />
        ))}
        {report.hypotheses.map((hypothesis) => (
          <HypothesisItem key={hypothesis.rank} of={report} hypothesis={hypothesis} />
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
            {link.citation && <QuotedSentence citation={link.citation} />}
          </li>
        ))}
      </ul>
      <p>{lead.test}</p>
      {lead.later && (
        <div>
          <span className={lead.later.papers ? "badge good" : "badge"}>{t("hypotheses.later")}</span> {lead.later.text} {lead.later.year}
          {lead.later.first && <QuotedSentence citation={lead.later.first} />}
        </div>
      )}
    </li>
  );
}

function HypothesisItem({ of, hypothesis }: { of: HypothesisReport; hypothesis: TestableHypothesis }) {
  const { t } = useWords();
  const nameOf = (id: string) => of.nodes.find((node) => node.id === id)?.name ?? id;
  const [isOpen, open] = useState(false);
  const names = { one: nameOf(hypothesis.source), two: nameOf(hypothesis.target) };
  return (
    <li className="card">
      <h2>{t("discover.maybe", names)}</h2>
      <p className="muted">
        {t("hypotheses.by", { names: hypothesis.bridges.map(nameOf).join(", ") })} {hypothesis.papers > 0 && t("discover.beside", { n: hypothesis.papers })}
      </p>
      {hypothesis.proposal && (
        <p>
          <span className="badge warn">{t("hypotheses.novel")}</span> {hypothesis.proposal.novel}
        </p>
      )}
      <p>{hypothesis.proposal?.test ? `${t("hypotheses.test")} ${hypothesis.proposal.test}` : hypothesis.test}</p>
      {of.until !== null && <LaterMentions hypothesis={hypothesis} until={of.until} />}
      <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {t("hypotheses.ledger", { n: hypothesis.ledger.length })}
      </button>
      {isOpen && (
        <ul className="ledger">
          {hypothesis.ledger.map((link) => (
            <li key={`${link.source} ${link.target}`}>
              {nameOf(link.source)} – {nameOf(link.target)}{" "}
              <span className={link.basis === "stated" ? "badge good" : "badge"}>{t(`hypotheses.basis.${link.basis}` as Key)}</span>
              {link.citation && <QuotedSentence citation={link.citation} />}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const QuotedSentence = ({ citation }: { citation: Citation }) => (
  <>
    <blockquote>{citation.quote}</blockquote> <CitationChip citation={citation} />
  </>
);

function LaterMentions({ hypothesis, until }: { hypothesis: TestableHypothesis; until: number }) {
  const { t } = useWords();
  if (!hypothesis.later) return <p className="muted">{t("discover.never", { year: String(until) })}</p>;
  return (
    <div>
      <span className="badge good">{t("discover.later", { year: String(hypothesis.later.year) })}</span> {t("graph.count", { n: hypothesis.later.sentences, papers: hypothesis.later.papers })}{" "}
      {hypothesis.later.first && <QuotedSentence citation={hypothesis.later.first} />}
    </div>
  );
}
