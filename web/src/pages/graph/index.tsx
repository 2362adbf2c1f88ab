/** The graph: what papers say around an entity, or between two, each edge with its sentences. */
import { Waypoints, X } from "lucide-react";
import { useMemo, useRef } from "react";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { useKeys } from "../../shell/keys";
import { readSearch, MOST, type Pair, pairs, useGraph } from "./queries";
import { EntityBox } from "./Box";
import { Connections } from "./connections";
import { Discover } from "./Discover";
import { Neighbours, Sentences, PathList } from "./Edges";
import { EntityName } from "./EntityName";
import { FrequentEntities, UnmentionedEntity } from "./FrequentEntities";
import "./graph.css";
import { Merges, MergeForm } from "./Merges";
import { Names } from "./Names";
import { Picture } from "./Picture";
import { Review } from "./Review";
import { useWaitingCount } from "./reviewQueries";
import { Vocabularies } from "./Vocabularies";

export default function GraphPage() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const selection = readSearch(params);
  const box = useRef<HTMLInputElement>(null);
  useKeys([{ keys: "/", does: "search.key.box", run: () => box.current?.select() }]);
  const graph = useGraph(selection);
  const subgraph = selection.entities.length ? graph.data : undefined;
  const all = useMemo(() => (subgraph ? pairs(subgraph) : []), [subgraph]);
  const known = useMemo(() => new Map(subgraph?.nodes.map((entity) => [entity.id, entity])), [subgraph]);

  const choose = (entities: string[]) =>
    setParams({ entity: entities, edge: null, k: null, view: null, until: null, apart: null, state: null });
  const look = (view: string) => setParams({ view: view || null, edge: null, k: null });
  const showEdge = (pair: Pair) => {
    const ids = pair.ends.map((end) => end.id);
    setParams({ edge: selection.edge.join() === ids.join() ? null : ids });
  };
  const go = (id: string) => choose([id]);
  const isOne = selection.entities.length === 1;
  const views: readonly View[] = isOne ? OF_ONE : selection.entities.length ? [] : OF_ALL;
  const view = views.find((name) => name === params.get("view")) ?? "";
  const sharedProps = { all, edge: selection.edge, onEdge: showEdge, onEntity: go };
  return (
    <div className="page wide graph">
      <h1>{t("page.graph")}</h1>
      {view !== "connections" && <div className="asking">
        {selection.entities.map((id, at) => (
          <span key={id} className="chosen-entity">
            <EntityName id={id} name={known.get(subgraph?.asked[at] ?? id)?.name} isMissing={!!graph.error} />
            <button
              type="button"
              className="plain"
              aria-label={t("graph.remove", { name: known.get(id)?.name ?? id })}
              onClick={() => choose(selection.entities.filter((other) => other !== id))}
            >
              <X size={15} aria-hidden />
            </button>
          </span>
        ))}
        {selection.entities.length < 2 && (
          <EntityBox inputRef={box} label={t(isOne ? "graph.box.other" : "graph.box")} onChoose={(id) => choose([...selection.entities, id])} />
        )}
      </div>}
      {selection.entities.length < 2 && <Views names={isOne ? OF_ONE : OF_ALL} view={view} onView={look} />}
      {!selection.entities.length && view === "" && <FrequentEntities onEntity={go} />}
      {view === "connections" && <Connections />}
      {view === "review" && <Review />}
      {view === "merges" && <Merges onEntity={go} />}
      {view === "names" && <Names />}
      {view === "vocabularies" && <Vocabularies />}
      {view === "discover" && <Discover key={selection.entities[0]} entity={selection.entities[0]!} k={selection.k} onEntities={choose} />}
      {selection.entities.length > 0 && graph.error && <UnmentionedEntity error={graph.error} onRetry={graph.refetch} />}
      {selection.entities.length > 0 && graph.isLoading && <Loading as="box" />}
      {subgraph && !graph.error && view === "" && (
        <div className={graph.isPlaceholderData ? "around stale" : "around"} aria-busy={graph.isPlaceholderData}>
          <p role="status" className="muted">
            {isOne ? t("graph.around", { n: all.length }) : t("graph.between", { n: subgraph.paths.length })}
          </p>
          {!all.length ? (
            <Empty icon={Waypoints} title={t(isOne ? "graph.alone" : "graph.apart")}>
              <p>{t("graph.alone.how")}</p>
            </Empty>
          ) : (
            <>
              <Picture graph={subgraph} {...sharedProps} />
              <div className="both">
                <section aria-label={t("graph.edges")}>
                  {isOne ? <Neighbours {...sharedProps} /> : <PathList {...sharedProps} paths={subgraph.paths} known={known} />}
                  {(isOne ? all : subgraph.paths).length >= selection.k && selection.k < MOST && (
                    <button type="button" className="further" onClick={() => setParams({ k: String(Math.min(MOST, selection.k * 2)) })}>
                      {t("graph.further")}
                    </button>
                  )}
                </section>
                {selection.edge.length > 0 && <Sentences edge={selection.edge} known={known} onClose={() => setParams({ edge: null })} />}
              </div>
            </>
          )}
          {isOne && known.get(subgraph.asked[0]!) && <MergeForm entity={known.get(subgraph.asked[0]!)!} onMerged={go} />}
        </div>
      )}
    </div>
  );
}

const OF_ONE = ["", "discover"] as const;
const OF_ALL = ["", "connections", "review", "merges", "names", "vocabularies"] as const;
type View = (typeof OF_ONE | typeof OF_ALL)[number];

/** What can be looked at beside the graph itself. */
function Views({ names, view, onView }: { names: readonly View[]; view: View; onView: (view: View) => void }) {
  const { t } = useWords();
  const waiting = useWaitingCount();
  return (
    <div className="views" role="group" aria-label={t("graph.views")}>
      {names.map((name) => (
        <button key={name} type="button" className="quiet" aria-pressed={view === name} onClick={() => onView(name)}>
          {t(name ? `graph.view.${name}` : names === OF_ONE ? "graph.view.one" : "graph.view.all")}
          {name === "review" && waiting > 0 && <span className="badge">{waiting}</span>}
        </button>
      ))}
    </div>
  );
}
