/** Entities, drawn: those that were asked for, what stands around or between them. The list beside it says the same. */
import { useWords } from "../../i18n";
import type { Subgraph } from "../../api/types";
import { type Pair, placeEntities } from "./queries";

interface Props {
  graph: Subgraph;
  all: Pair[];
  edge: string[];
  onEdge: (pair: Pair) => void;
  onEntity: (id: string) => void;
}

export function Picture({ graph, all, edge, onEdge, onEntity }: Props) {
  const { t } = useWords();
  const nodes = placeEntities(graph);
  const at = new Map(nodes.map((node) => [node.entity.id, node]));
  const most = Math.max(...all.map((pair) => pair.sentences), 1);
  return (
    <div className="picture" role="group" aria-label={t("graph.picture")}>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden>
        {all.map((pair) => {
          const [source, target] = pair.ends.map((end) => at.get(end.id));
          if (!source || !target) return null;
          const line = { x1: source.x, y1: source.y, x2: target.x, y2: target.y };
          const isChosen = pair.ends.every((end) => edge.includes(end.id));
          const isStated = pair.edges.some((pairEdge) => pairEdge.kind === "stated");
          return (
            <g key={pair.ends.map((end) => end.id).join(" ")} className={isChosen ? "chosen" : ""}>
              <line
                {...line}
                className={isStated ? "shown stated" : "shown"}
                style={{ strokeWidth: 1 + (4 * Math.log1p(pair.sentences)) / Math.log1p(most) }}
              />
              {/* the list has a button for who has no pointer */}
              <line {...line} className="wide" onClick={() => onEdge(pair)} />
            </g>
          );
        })}
      </svg>
      {nodes.map(({ entity, x, y }) => (
        <button
          key={entity.id}
          type="button"
          className="node"
          aria-current={graph.asked.includes(entity.id) || undefined}
          style={{ left: `${x}%`, top: `${y}%` }}
          title={`${entity.name} (${entity.id})`}
          onClick={() => onEntity(entity.id)}
        >
          {entity.name}
        </button>
      ))}
    </div>
  );
}
