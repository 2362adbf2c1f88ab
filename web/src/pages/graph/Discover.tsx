/** Where it may be worth looking: what no sentence joins to an entity, with the sentences that suggest it. No findings. */
import { Telescope } from "lucide-react";
import { useEffect, useState } from "react";
import type { Citation, Discovery, Hypothesis } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { MOST, useDiscovery, yearOf } from "./queries";
import { UnmentionedEntity } from "./FrequentEntities";

interface Props {
  entity: string;
  k: number;
  onEntities: (ids: string[]) => void;
}

export function Discover({ entity, k, onEntities }: Props) {
  const { t } = useWords();
  const [params, change] = useParams();
  const [until, apart] = [yearOf(params.get("until")), params.has("apart")];
  const discoveryQuery = useDiscovery({ entity, k, until, apart });
  return (
    <section className={discoveryQuery.isPlaceholderData ? "discover stale" : "discover"} aria-label={t("discover.title")} aria-busy={discoveryQuery.isPlaceholderData}>
      <div className="wishes">
        <YearLimit key={until} year={until} onYear={(year) => change({ until: year, k: null })} />
        <label>
          <input type="checkbox" checked={apart} onChange={(event) => change({ apart: event.target.checked, k: null })} /> {t("discover.apart")}
        </label>
      </div>
      {discoveryQuery.error && <UnmentionedEntity error={discoveryQuery.error} onRetry={discoveryQuery.refetch} />}
      {discoveryQuery.isLoading && <Loading as="cards" />}
      {discoveryQuery.data && !discoveryQuery.error && <Suggestions discovery={discoveryQuery.data} onEntities={onEntities} />}
      {discoveryQuery.data && discoveryQuery.data.pairs.length < discoveryQuery.data.candidates && k < MOST && (
        <button type="button" className="further" onClick={() => change({ k: Math.min(MOST, k * 2) })}>
          {t("graph.further")}
        </button>
      )}
    </section>
  );
}

/** The last year of the papers that count: what came later is told, and suggests nothing. */
function YearLimit({ year, onYear }: { year?: number; onYear: (year: number | null) => void }) {
  const { t } = useWords();
  const [typed, type] = useState(year ? String(year) : "");
  const wish = yearOf(typed);
  useEffect(() => {
    if (wish === year || (typed && !wish)) return;
    const waiting = setTimeout(() => onYear(wish ?? null), 500);
    return () => clearTimeout(waiting);
  });
  return (
    <label>
      {t("discover.until")}{" "}
      <input inputMode="numeric" maxLength={4} value={typed} placeholder={t("discover.until.any")} onChange={(event) => type(event.target.value.trim())} />
    </label>
  );
}

function Suggestions({ discovery, onEntities }: { discovery: Discovery } & Pick<Props, "onEntities">) {
  const { t } = useWords();
  const name = discovery.entity.name;
  if (!discovery.pairs.length)
    return (
      <Empty icon={Telescope} title={t("discover.none")}>
        <p>{t("discover.none.how", { name })}</p>
      </Empty>
    );
  return (
    <>
      <p className="note" role="status">
        {discovery.until === null ? t("discover.note", { name }) : t("discover.note.until", { name, year: String(discovery.until) })}
      </p>
      <ol className="hypotheses">
        {discovery.pairs.map((hypothesis) => (
          <li key={hypothesis.rank} className="card">
            <SuggestedLink of={discovery} hypothesis={hypothesis} onEntities={onEntities} />
          </li>
        ))}
      </ol>
    </>
  );
}

function SuggestedLink({ of, hypothesis, onEntities }: { of: Discovery; hypothesis: Hypothesis } & Pick<Props, "onEntities">) {
  const { t } = useWords();
  const nameOf = (id: string) => of.nodes.find((node) => node.id === id)?.name ?? id;
  const names = { one: of.entity.name, two: nameOf(hypothesis.target) };
  return (
    <>
      <h3>{t("discover.maybe", names)}</h3>
      <p className="muted">
        {t("discover.shared", { n: hypothesis.shared })} {hypothesis.papers > 0 && t("discover.beside", { n: hypothesis.papers })}
      </p>
      {hypothesis.paths.map(({ via, hops }, path) => (
        <div key={path} className="bridge">
          <p>{t("discover.by", { ...names, by: nameOf(via) })}</p>
          <ul>
            {hops.map((hop, at) => hop.examples.map((citation) => <QuotedSentence key={`${at} ${citation.spans[0]?.id}`} citation={citation} />))}
          </ul>
        </div>
      ))}
      <LaterMentions of={of} hypothesis={hypothesis} />
      <p className="ways-to">
        <button type="button" className="link" onClick={() => onEntities([hypothesis.target])}>
          {t("discover.around", { name: names.two })}
        </button>
        <button type="button" className="link" onClick={() => onEntities([hypothesis.source, hypothesis.target])}>
          {t("discover.ways", names)}
        </button>
      </p>
    </>
  );
}

const QuotedSentence = ({ citation }: { citation: Citation }) => (
  <li>
    <blockquote>{citation.quote}</blockquote> <CitationChip citation={citation} />
  </li>
);

/** Of papers up to a year: whether later ones speak of both. */
function LaterMentions({ of, hypothesis }: { of: Discovery; hypothesis: Hypothesis }) {
  const { t } = useWords();
  if (of.until === null) return null;
  if (!hypothesis.later) return <p className="muted">{t("discover.never", { year: String(of.until) })}</p>;
  const { year, sentences, papers, first } = hypothesis.later;
  return (
    <div className="bridge">
      <p>
        <span className="badge good">{t("discover.later", { year: String(year) })}</span> {t("graph.count", { n: sentences, papers })}
      </p>
      <ul>{first && <QuotedSentence citation={first} />}</ul>
    </div>
  );
}
