/** Search: papers by words, signs or a question; all that is asked for stands in the address. */
import type { SearchResult } from "../../api/types";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { CircleQuestionMark, Hash, ListFilter, Map as MapIcon, Radar, Search, SlidersHorizontal, X } from "lucide-react";
import { useId, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { get } from "../../api/call";
import { address } from "../../api/client";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { AskThese } from "../../parts/AskThese";
import { ShowConnections } from "../../parts/ShowConnections";
import { ExportMenu } from "../../parts/ExportMenu";
import { Loading } from "../../parts/Loading";
import { queryStems } from "../../parts/marks";
import { useParams, type Values } from "../../parts/params";
import { SearchBox } from "../../parts/SearchBox";
import { useSelection } from "../../parts/selection";
import { useSubjects } from "../../parts/subjects";
import { useKeys } from "../../shell/keys";
import { type SearchState, readSearch, hasCriteria, isFiltered, isSimilar, MOST_K, request, type Sort, SORTS, USUAL_K } from "./searchState";
import { useFacets } from "./facets";
import { Filters, ActiveFilters } from "./Filters";
import { Help } from "./Help";
import { HitCard, useOpen } from "./HitCard";
import { sortHits } from "./hits";
import { Ranking } from "./Ranking";
import { Likeness, SimilarTextDialog } from "./Similar";
import { WordCounts, ResultCount, QueryError, SearchNotes } from "./SearchNotes";
import "./search.css";

export default function SearchPage() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const search = readSearch(params);
  const change = (values: Values) => setParams({ k: null, ...values });
  const query = request(search);
  const resultsQuery = useQuery({
    queryKey: [isSimilar(search) ? "similar" : "search", query],
    queryFn: ({ signal }) => get<SearchResult>(address(isSimilar(search) ? "/similar" : "/search", query), signal),
    enabled: hasCriteria(search),
    placeholderData: keepPreviousData,
  });
  const [isHelp, help] = useState(false);
  const [isText, text] = useState(false);
  const [isRanking, ranking] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  useKeys([{ keys: "/", does: "search.key.box", run: () => box.current?.select() }]);
  const take = (sign: string) => {
    help(false);
    change({ q: `${search.q} ${sign}`.trim(), like: null, text: null });
  };
  const isNothing = !hasCriteria(search);
  const settings = search.weight.length + search.more.length + search.less.length + [search.expand, search.mmr !== null, search.use, search.outliers, search.auto, search.plain].filter(Boolean).length;
  return (
    <div className="page wide search">
      <h1>{t("page.search")}</h1>
      {isSimilar(search) ? (
        <Likeness search={search} onChange={change} />
      ) : (
        <SearchBox
          key={search.q}
          inputRef={box}
          q={search.q}
          label={t("search.box")}
          placeholder={t("search.placeholder")}
          onSearch={(q) => change({ q })}
        >
          <button type="button" className="plain" onClick={() => help(true)} aria-label={t("search.help")} title={t("search.help")}>
            <CircleQuestionMark size={19} aria-hidden />
          </button>
        </SearchBox>
      )}
      <div className="tools">
        <button type="button" className="quiet" aria-expanded={isRanking} onClick={() => ranking(!isRanking)}>
          <SlidersHorizontal size={15} aria-hidden />
          {settings ? t("search.ranking.set", { n: settings }) : t("search.ranking")}
        </button>
        <button type="button" className="quiet" onClick={() => text(true)}>
          <Radar size={15} aria-hidden />
          {t("search.like.text")}
        </button>
        {!isSimilar(search) && search.q && (
          <button type="button" className="quiet" aria-pressed={params.has("count")} onClick={() => setParams({ count: !params.has("count") })}>
            <Hash size={15} aria-hidden />
            {t("search.count")}
          </button>
        )}
        {!isSimilar(search) && search.q && (
          <Link className="button quiet" href={`/map?${new URLSearchParams({ overlay: `query:${search.q}` })}`}>
            <MapIcon size={15} aria-hidden />
            {t("search.on.map")}
          </Link>
        )}
        {isSimilar(search) && (
          <button type="button" className="quiet" onClick={() => change({ like: null, text: null })}>
            <X size={15} aria-hidden />
            {t("search.back")}
          </button>
        )}
      </div>
      {isRanking && <Ranking search={search} onChange={change} />}
      <ActiveFilters search={search} onChange={change} />
      {params.has("count") && search.q && !isSimilar(search) && <WordCounts search={search} />}
      {resultsQuery.error && <QueryError error={resultsQuery.error} search={search} onChange={change} onRetry={resultsQuery.refetch} />}
      {isNothing ? (
        <Start onTake={(q) => change({ q })} onHelp={() => help(true)} />
      ) : (
        !resultsQuery.error && <Results search={search} results={resultsQuery.data} isStale={resultsQuery.isPlaceholderData} onChange={setParams} />
      )}
      <Help isOpen={isHelp} onClose={() => help(false)} onTake={take} />
      <SimilarTextDialog isOpen={isText} onClose={() => text(false)} onTake={(words) => (text(false), change({ text: words, like: null, q: null }))} />
    </div>
  );
}

/** Searches by what several papers are about, each with a sign that narrows it. */
const examples = ([first, second, third]: readonly string[]): string[] =>
  [first, second && `"${second}" year:2000..`, third && `${third} has:fulltext`].filter((query) => query !== undefined);

function Start({ onTake, onHelp }: { onTake: (q: string) => void; onHelp: () => void }) {
  const { t } = useWords();
  const subjects = useSubjects();
  const exampleQueries = examples(subjects.data ?? []);
  const counts = useQueries({
    queries: exampleQueries.map((query) => ({
      queryKey: ["count", query],
      queryFn: ({ signal }: { signal: AbortSignal }) => get<{ count: { papers: number } }>(address("/count", { q: query }), signal),
    })),
  });
  const finding = exampleQueries.filter((_, at) => counts[at]?.data?.count.papers);
  return (
    <Empty icon={Search} title={t("search.start")}>
      <p>
        {t("search.start.how")}
        {finding.length > 0 && ` ${t("search.start.example")}`}
      </p>
      <div className="examples">
        {finding.map((example) => (
          <button key={example} type="button" onClick={() => onTake(example)}>
            {example}
          </button>
        ))}
      </div>
      <button type="button" className="link" onClick={onHelp}>
        {t("search.help")}
      </button>
    </Empty>
  );
}

interface ResultsProps {
  search: SearchState;
  results: SearchResult | undefined;
  isStale: boolean;
  onChange: (values: Values) => void;
}

function Results({ search, results, isStale, onChange }: ResultsProps) {
  const { t } = useWords();
  const stems = useMemo(() => queryStems(results?.words || search.q), [results, search.q]);
  const hits = useMemo(() => sortHits(results?.hits ?? [], search.sort), [results, search.sort]);
  const ids = hits.map((hit) => hit.paper.id);
  const selection = useSelection();
  const chosen = ids.filter((id) => selection.chosen.has(id));
  const openAt = useOpen(stems);
  const [current, go] = useState("");
  const here = ids.indexOf(current);
  const titles = useRef<(HTMLButtonElement | null)[]>([]);
  const step = (by: number) => {
    const next = Math.max(0, Math.min(hits.length - 1, here + by));
    go(ids[next] ?? "");
    titles.current[next]?.focus();
    titles.current[next]?.scrollIntoView({ block: "nearest" });
  };
  const hit = hits[here];
  const similar = (like: string[]) => onChange({ like, q: null, text: null, k: null, sort: null, count: null });
  useKeys([
    { keys: "j", does: "search.key.next", run: () => step(1) },
    { keys: "k", does: "search.key.previous", run: () => step(-1) },
    { keys: "o", does: "search.key.open", run: () => hit && openAt(hit.paper.id, hit.passage) },
    { keys: "x", does: "search.key.choose", run: () => hit && selection.toggle(hit.paper.id, ids) },
  ]);
  const narrow = useId();
  const [isFilters, filters] = useState(false);
  const counted = useFacets(search, results?.hits ?? []);
  if (!results) return <Loading as="cards" what={t("search.searching")} />;
  const change = (values: Values) => onChange({ k: null, ...values });
  return (
    <div className={`found${isStale ? " stale" : ""}`} aria-busy={isStale}>
      <aside aria-label={t("search.filters")}>
        <button type="button" className="narrow" aria-expanded={isFilters} aria-controls={narrow} onClick={() => filters(!isFilters)}>
          <ListFilter size={16} aria-hidden />
          {t("search.filters")}
        </button>
        <div id={narrow} className={isFilters ? "shown" : ""}>
          <Filters search={search} {...counted} onChange={change} />
        </div>
      </aside>
      <section aria-label={t("search.results")}>
        <SearchNotes search={search} results={results} onChange={change} />
        {hits.length > 0 && (
          <div className="bar-of">
            <label>
              <input
                type="checkbox"
                aria-label={t("search.select.all")}
                checked={chosen.length === ids.length}
                ref={(input) => {
                  if (input) input.indeterminate = chosen.length > 0 && chosen.length < ids.length;
                }}
                onChange={() => (chosen.length === ids.length ? selection.clear() : selection.set(ids))}
              />
              <ResultCount search={search} results={results} />
            </label>
            <label className="sort">
              <span>{t("search.sort")}</span>
              <select value={search.sort} onChange={(event) => onChange({ sort: event.target.value === "best" ? null : (event.target.value as Sort) })}>
                {SORTS.map((name) => (
                  <option key={name} value={name}>
                    {t(`search.sort.${name}`)}
                  </option>
                ))}
              </select>
            </label>
            <ExportMenu papers={chosen.length ? chosen : ids} />
          </div>
        )}
        {!hits.length && (
          <Empty icon={Search} title={t("search.none")}>
            <p>{isFiltered(search) ? t("search.none.filtered") : t("search.none.how")}</p>
          </Empty>
        )}
        <ol className="hits">
          {hits.map((hit, at) => (
            <li key={hit.paper.id}>
              <HitCard
                ref={(title) => {
                  titles.current[at] = title;
                }}
                hit={hit}
                hits={hits}
                method={[results.method, ...results.models].join(" · ")}
                stems={stems}
                isChosen={selection.chosen.has(hit.paper.id)}
                isHere={at === here}
                onChoose={(withShift) => selection.toggle(hit.paper.id, ids, withShift)}
                onFocus={() => go(hit.paper.id)}
                onSimilar={() => similar([hit.paper.id])}
              />
            </li>
          ))}
        </ol>
        {hits.length > 0 && results.hits.length >= search.k && search.k < MOST_K && (
          <button type="button" className="further" onClick={() => onChange({ k: Math.min(MOST_K, search.k === USUAL_K ? 50 : search.k * 2) })}>
            {t("search.further")}
          </button>
        )}
        {chosen.length > 0 && (
          <div className="chosen" role="region" aria-label={t("selection")}>
            <strong role="status">{t("selected", { n: chosen.length })}</strong>
            <AskThese papers={chosen} name={search.q.slice(0, 60)} />
            <button type="button" onClick={() => similar(chosen)}>
              <Radar size={16} aria-hidden />
              {t("search.similar")}
            </button>
            <ShowConnections papers={chosen} />
            <ExportMenu papers={chosen} side="above" />
            <button type="button" className="plain" onClick={selection.clear} aria-label={t("selection.clear")}>
              <X size={18} aria-hidden />
            </button>
          </div>
        )}
      </section>
    </div>
  );
}
