/** A citation graph, drawn: years from left to right, larger marks for works that were cited more often. */
import { select } from "d3-selection";
import { zoom as zooming, type ZoomBehavior, zoomIdentity } from "d3-zoom";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { CitationGraph, CitationNode } from "../../../api/types";
import { number, useWords } from "../../../i18n";
import { chooseLabels, type PlacedWork, planLayout, short } from "./layout";
import { tex } from "../../../parts/tex";

interface Props {
  graph: CitationGraph;
  /** Of the work over which the pointer is, and of the one whose card is open. */
  lit?: string;
  chosen?: string;
  onLit: (id?: string) => void;
  onGo: (work: CitationNode) => void;
}

const NEAREST = 12;
const PUSH = 60;

export function CitationPicture({ graph, lit, chosen, onLit, onGo }: Props) {
  const { t } = useWords();
  const [box, width] = useWidth();
  const height = Math.max(340, Math.min(560, width * 0.6));
  const plan = useMemo(() => planLayout(graph, width, height), [graph, width, height]);
  const { view, near, push, fit } = useZoom(box);
  const works = plan.works.map((placed): PlacedWork => ({ ...placed, x: view.k * placed.x + view.x, y: view.k * placed.y + view.y }));
  const at = new Map(works.map((placed) => [placed.work.id, placed]));
  const names = chooseLabels(works, width, short);
  const marked = lit ?? chosen;
  const isLit = ({ source, target }: { source: string; target: string }) => source === marked || target === marked;
  const around = new Set(graph.edges.filter(isLit).flatMap(({ source, target }) => [source, target]));
  const press = (event: KeyboardEvent) => {
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) push(way[0]! * PUSH, way[1]! * PUSH);
    else if (event.key === "+" || event.key === "=") near(1.5);
    else if (event.key === "-") near(1 / 1.5);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  };
  const isDim = (id: string) => !!marked && marked !== id && !around.has(id);
  const about = (work: CitationNode) =>
    [
      tex(work.title) || work.id,
      work.byline,
      work.year ?? "",
      work.citation_count === null ? "" : t("connections.cited", { n: work.citation_count, by: [work.counted_by, work.counted].filter(Boolean).join(", ") || "–" }),
      t(`connections.is.${work.relation}`),
      work.in_library ? "" : t("connections.outside"),
    ]
      .filter(Boolean)
      .join(" · ");
  return (
    <div className="citations-drawn">
      {/* it has the keys of a map, and the lists below say the same */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div ref={box} className="canvas" style={{ height }} role="group" aria-label={t("connections.picture")} onKeyDown={press}>
        <svg width={width} height={height} aria-hidden>
          {plan.years.map(({ year, x }) => (
            <g key={year} className="year">
              <line x1={view.k * x + view.x} x2={view.k * x + view.x} y1={0} y2={height - 22} />
              <text x={view.k * x + view.x} y={height - 7}>
                {year || "?"}
              </text>
            </g>
          ))}
          {graph.edges.map((edge) => {
            const [source, target] = [at.get(edge.source), at.get(edge.target)];
            if (!source || !target) return null;
            return (
              <line key={`${edge.source} ${edge.target}`} className={isLit(edge) ? "cites lit" : "cites"} x1={source.x} y1={source.y} x2={target.x} y2={target.y}>
                <title>{t("connections.cites", { one: short(source.work), two: short(target.work) })}</title>
              </line>
            );
          })}
        </svg>
        {works.map(({ work, x, y, r }) => (
          <button
            key={work.id}
            type="button"
            className={`work ${work.relation}${work.in_library ? "" : " outside"}${isDim(work.id) ? " dim" : ""}`}
            style={{ left: x, top: y, width: 2 * r, height: 2 * r }}
            aria-label={about(work)}
            aria-current={work.relation === "seed" || undefined}
            title={about(work)}
            onClick={() => onGo(work)}
            onFocus={() => onLit(work.id)}
            onBlur={() => onLit()}
            onPointerEnter={() => onLit(work.id)}
            onPointerLeave={() => onLit()}
          >
            {((names.has(work.id) && !isDim(work.id)) || marked === work.id) && <span aria-hidden>{short(work)}</span>}
          </button>
        ))}
      </div>
      <div className="tools">
        <button type="button" onClick={() => near(1.5)} aria-label={t("map.near")}>
          <ZoomIn size={16} aria-hidden />
        </button>
        <button type="button" onClick={() => near(1 / 1.5)} aria-label={t("map.far")}>
          <ZoomOut size={16} aria-hidden />
        </button>
        <button type="button" onClick={fit} aria-label={t("map.fit")}>
          <Maximize size={16} aria-hidden />
        </button>
        <p className="muted legend">
          <i className="mark seed" /> {t("connections.is.seed")} <i className="mark" /> {t("connections.inside")} <i className="mark outside" /> {t("connections.outside")}
          <span> · {t("connections.legend", { n: number(graph.edges.length) })}</span>
        </p>
      </div>
    </div>
  );
}

/** What part is looked at: dragged and pinched; the wheel zooms with Ctrl, so that the page can be scrolled. */
function useZoom(box: React.RefObject<HTMLDivElement | null>) {
  const [view, look] = useState({ k: 1, x: 0, y: 0 });
  const behavior = useRef<ZoomBehavior<HTMLDivElement, unknown>>(undefined);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const zoom = zooming<HTMLDivElement, unknown>()
      .scaleExtent([0.5, NEAREST])
      .filter((event: MouseEvent) => !(event.target as Element).closest("button") && !event.button && (event.type !== "wheel" || event.ctrlKey || event.metaKey))
      .on("zoom", ({ transform: { k, x, y } }: { transform: { k: number; x: number; y: number } }) => look({ k, x, y }));
    behavior.current = zoom;
    select(element).call(zoom).on("dblclick.zoom", null);
    return () => void select(element).on(".zoom", null);
  }, [box]);
  return {
    view,
    near: (by: number) => {
      if (behavior.current && box.current) select(box.current).call(behavior.current.scaleBy, by);
    },
    push: (x: number, y: number) => {
      if (behavior.current && box.current) select(box.current).call(behavior.current.translateBy, x / view.k, y / view.k);
    },
    fit: () => {
      if (behavior.current && box.current) select(box.current).call(behavior.current.transform, zoomIdentity);
    },
  };
}

/** The width of an element, as it is. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, set] = useState(800);
  useEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(([entry]) => set(Math.max(260, entry!.contentRect.width)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return [box, width] as const;
}
