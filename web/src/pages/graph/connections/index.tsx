/** Connections of papers by citations: earlier and later work around one or several, drawn and as lists. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Network, Plus, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { get } from "../../../api/call";
import { address, Problem } from "../../../api/client";
import type { CitationGraph, CitationNode } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Empty } from "../../../parts/Empty";
import { GoOnline } from "../../../parts/GoOnline";
import { Loading } from "../../../parts/Loading";
import { useParams } from "../../../parts/params";
import { Trouble } from "../../../parts/Trouble";
import { useReading } from "../../../reader/reading";
import { Card } from "./Card";
import "./connections.css";
import { CitationPicture } from "./CitationPicture";
import { short } from "./layout";
import { tex } from "../../../parts/tex";

const USUAL = 40;
const MOST = 200;
const MOST_SEEDS = 20;
const RELATIONS = ["earlier", "later", "near"] as const;

export function Connections() {
  const { t } = useWords();
  const { open } = useReading();
  const [params, change] = useParams();
  const seeds = [...new Set(params.getAll("paper"))].slice(0, MOST_SEEDS);
  const isOnline = params.has("online");
  const k = Math.min(MOST, Number(params.get("k")) || USUAL);
  const [chosen, choose] = useState<string>();
  const [lit, light] = useState<string>();
  const query = { paper: seeds, k, offline: !isOnline };
  const graph = useQuery({
    queryKey: ["connections", query],
    queryFn: ({ signal }) => get<CitationGraph>(address("/sources/graph", query), signal),
    enabled: seeds.length > 0,
    placeholderData: keepPreviousData,
    retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
  });
  const citationGraph = seeds.length && !graph.error ? graph.data : undefined;
  const card = citationGraph?.nodes.find((node) => node.id === chosen);
  const seek = (papers: string[]) => change({ paper: papers, k: null });
  const go = (node: CitationNode) => (node.in_library ? open({ paper: node.id }) : choose(node.id));
  // in the order in which they were named, by whatever name
  const seedNodes = citationGraph?.nodes.filter((node) => node.relation === "seed") ?? [];
  const label = (name: string) =>
    citationGraph?.nodes.find((node) => node.id === name)?.title || (seedNodes.length === seeds.length && !graph.isPlaceholderData && seedNodes[seeds.indexOf(name)]?.title) || name;
  const sharedProps = { lit, onLit: light, onGo: go };
  return (
    <section className="connections" aria-label={t("connections.title")}>
      <Seeds seeds={seeds} label={label} onSeeds={seek} />
      {!seeds.length && (
        <Empty icon={Network} title={t("connections.none")}>
          <p>{t("connections.none.how")}</p>
        </Empty>
      )}
      {seeds.length > 0 && (
        <label className="online">
          <input type="checkbox" checked={isOnline} onChange={(event) => change({ online: event.target.checked })} /> {t("connections.online")}
        </label>
      )}
      {seeds.length > 0 && graph.error && <Trouble error={graph.error} onRetry={graph.refetch} />}
      {graph.isLoading && <Loading as="box" />}
      {citationGraph && (
        <div className={graph.isPlaceholderData ? "stale" : undefined} aria-busy={graph.isPlaceholderData}>
          <p role="status" className="muted">
            {t("connections.count", { n: citationGraph.nodes.length, own: citationGraph.nodes.filter((node) => node.in_library).length })}
          </p>
          {isOnline && !graph.isPlaceholderData && <Services graph={citationGraph} />}
          {citationGraph.nodes.length > seeds.length && <CitationPicture graph={citationGraph} {...sharedProps} chosen={chosen} />}
          {card && <Card key={card.id} work={card} onClose={() => choose(undefined)} />}
          {citationGraph.nodes.length <= seeds.length && <p>{t("connections.alone")}</p>}
          <div className="lists">
            {RELATIONS.map((relation) => (
              <Works key={relation} title={t(`connections.${relation}`)} works={citationGraph.nodes.filter((node) => node.relation === relation)} {...sharedProps} onSeed={(id) => seek([...seeds, id])} canSeed={seeds.length < MOST_SEEDS} />
            ))}
          </div>
          {citationGraph.left_out > 0 && k < MOST && (
            <button type="button" className="further" onClick={() => change({ k: Math.min(MOST, k * 2) })}>
              {t("connections.further", { n: citationGraph.left_out })}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** The papers around which works are shown, and a field for another one. */
function Seeds({ seeds, label, onSeeds }: { seeds: string[]; label: (name: string) => string; onSeeds: (seeds: string[]) => void }) {
  const { t } = useWords();
  const [typed, type] = useState("");
  const take = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim()) onSeeds([...seeds, typed.trim()]);
    type("");
  };
  return (
    <div className="asking">
      {seeds.map((name) => (
        <span key={name} className="chosen-entity">
          {label(name)}
          <button type="button" className="plain" aria-label={t("graph.remove", { name: label(name) })} onClick={() => onSeeds(seeds.filter((other) => other !== name))}>
            <X size={15} aria-hidden />
          </button>
        </span>
      ))}
      {seeds.length < MOST_SEEDS && (
        <form onSubmit={take}>
          <input value={typed} maxLength={500} aria-label={t("connections.paper")} placeholder={t("connections.paper")} onChange={(event) => type(event.target.value)} />
          <button type="submit" disabled={!typed.trim()}>
            <Plus size={16} aria-hidden />
            {t("connections.paper.add")}
          </button>
        </form>
      )}
    </div>
  );
}

/** What services said that were asked; that none may be asked, where none was. */
function Services({ graph }: { graph: CitationGraph }) {
  const { t } = useWords();
  if (!graph.services.length) return <GoOnline />;
  return (
    <ul className="muted">
      {graph.services.map((service) => (
        <li key={service.name}>
          {service.name}: {t("connections.works", { n: service.found })}
          {service.note && <span> · {service.note}</span>}
        </li>
      ))}
    </ul>
  );
}

interface WorksProps {
  title: string;
  works: CitationNode[];
  lit?: string;
  onLit: (id?: string) => void;
  onGo: (work: CitationNode) => void;
  onSeed: (id: string) => void;
  canSeed: boolean;
}

function Works({ title, works, lit, onLit, onGo, onSeed, canSeed }: WorksProps) {
  const { t } = useWords();
  if (!works.length) return null;
  const about = (work: CitationNode) =>
    [work.byline, work.year ?? "", t("connections.links", { n: work.links }), work.in_library ? "" : t("connections.outside")].filter(Boolean).join(" · ");
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {[...works].sort((work, other) => other.links - work.links).map((work) => (
          <li key={work.id} className={lit === work.id ? "lit" : undefined} onPointerEnter={() => onLit(work.id)} onPointerLeave={() => onLit()}>
            <button type="button" className="link" onClick={() => onGo(work)} onFocus={() => onLit(work.id)} onBlur={() => onLit()}>
              {work.title || work.id}
            </button>
            <span className="muted">{about(work)}</span>
            {work.in_library && canSeed && (
              <button type="button" className="plain" aria-label={t("connections.seed", { name: tex(work.title) || short(work) })} title={t("connections.seed", { name: short(work) })} onClick={() => onSeed(work.id)}>
                <Plus size={15} aria-hidden />
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
