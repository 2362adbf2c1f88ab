/** What joins entities, as a list, and the sentences of one of these. */
import { useEffect, useRef } from "react";
import type { Edge, Entity } from "../../api/types";
import { useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";
import { type Pair, useSentences } from "./queries";

interface Props {
  edge: string[];
  onEdge: (pair: Pair) => void;
  onEntity: (id: string) => void;
}

function Name({ entity, onEntity }: { entity: Entity; onEntity: Props["onEntity"] }) {
  return (
    <button type="button" className="link" onClick={() => onEntity(entity.id)}>
      {entity.name}
    </button>
  );
}

/** Shows the sentences that join two. */
function Count({ pair, edge, onEdge }: { pair: Pair } & Pick<Props, "edge" | "onEdge">) {
  const { t } = useWords();
  const isChosen = edge.length > 0 && pair.ends.every((end) => edge.includes(end.id));
  return (
    <button
      type="button"
      className="quiet"
      aria-expanded={isChosen}
      aria-label={t("graph.sentences.of", { n: pair.sentences, one: pair.ends[0].name, two: pair.ends[1].name })}
      onClick={() => onEdge(pair)}
    >
      {pair.edges.some((pairEdge) => pairEdge.kind === "stated") && <span className="badge">{t("graph.stated")}</span>}
      {t("graph.sentences", { n: pair.sentences })}
    </button>
  );
}

/** What stands around one, the first of each pair. */
export function Neighbours({ all, ...rest }: Props & { all: Pair[] }) {
  return (
    <ul className="edges">
      {all.map((pair) => (
        <li key={pair.ends[1].id}>
          <span className="ends">
            <Name entity={pair.ends[1]} onEntity={rest.onEntity} />
          </span>
          <Count pair={pair} {...rest} />
        </li>
      ))}
    </ul>
  );
}

/** The ways from one to another, each hop with its sentences. */
export function PathList({ all, paths, known, ...rest }: Props & { all: Pair[]; paths: string[][]; known: Map<string, Entity> }) {
  const between = (source?: string, target?: string) => all.find((pair) => pair.ends.every((end) => end.id === source || end.id === target));
  return (
    <ol className="edges ways">
      {paths.map((path) => (
        <li key={path.join(" ")}>
          {path.map((id, at) => {
            const [entity, hop] = [known.get(id), between(path[at - 1], id)];
            return (
              <span key={id} className="hop">
                {at > 0 && hop && <Count pair={hop} {...rest} />}
                {entity && <Name entity={entity} onEntity={rest.onEntity} />}
              </span>
            );
          })}
        </li>
      ))}
    </ol>
  );
}

/** The sentences that join two. */
export function Sentences({ edge, known, onClose }: { edge: string[]; known: Map<string, Entity>; onClose: () => void }) {
  const { t } = useWords();
  const sentencesQuery = useSentences(edge);
  const heading = useRef<HTMLHeadingElement>(null);
  const which = edge.join(" ");
  useEffect(() => heading.current?.focus({ preventScroll: false }), [which]);
  const names = edge.map((id) => (known.get(id) ?? sentencesQuery.data?.nodes.find((node) => node.id === id))?.name ?? id);
  return (
    <section className="card sentences" aria-label={t("graph.both", { one: names[0]!, two: names[1]! })}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {names[0]} — {names[1]}
        </h2>
        <button type="button" className="quiet" onClick={onClose}>
          {t("close")}
        </button>
      </header>
      {sentencesQuery.error && <Trouble error={sentencesQuery.error} onRetry={sentencesQuery.refetch} />}
      {sentencesQuery.isLoading && <Loading />}
      {sentencesQuery.data?.edges.map((pairEdge) => <EdgeSentences key={pairEdge.kind} edge={pairEdge} />)}
      {sentencesQuery.data && !sentencesQuery.data.edges.length && <p>{t("graph.nothing")}</p>}
    </section>
  );
}

function EdgeSentences({ edge }: { edge: Edge }) {
  const { t } = useWords();
  return (
    <>
      <h3>{t(`graph.kind.${edge.kind}`)}</h3>
      <p className="muted">
        {t(`graph.claims.${edge.kind}`)} {t("graph.count", { n: edge.sentences, papers: edge.papers })}
      </p>
      <ol>
        {edge.examples.map((citation) => (
          <li key={citation.spans[0]?.id}>
            <blockquote>{citation.quote}</blockquote> <CitationChip citation={citation} />
          </li>
        ))}
      </ol>
      {edge.examples.length < edge.sentences && <p className="muted">{t("graph.first", { n: edge.examples.length })}</p>}
    </>
  );
}
