/** One region: its name, what is in it, how it goes on, and what can be done with its papers. */
import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, Pencil } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { MapHead, Overlay } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { NameDialog } from "../../parts/NameDialog";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { type MapPageState, rename, useTopics } from "./queries";
import { describeOverlay, TrendChart, useGrowth, useSize } from "./Panel";
import { TextLine, Texts } from "./Texts";

interface Props {
  view: MapPageState;
  map: MapHead;
  id: number;
  rows: readonly number[];
  overlay: Overlay | undefined;
  counts: ReadonlyMap<number, number> | null;
  onRegion: (id: number | null) => void;
  onPoint: (row: number) => void;
}

export function RegionView({ view, map, id, rows, overlay, counts, onRegion, onPoint }: Props) {
  const { t } = useWords();
  const grown = useGrowth();
  const sized = useSize(view.of, counts);
  const queries = useQueryClient();
  const topics = useTopics(view.of, view.level, id, view.years);
  const [isNaming, name] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  const region = map.regions.find((other) => other.id === id);
  const ownTopic = topics.data?.find((topic) => topic.region.id === id);
  const inner = topics.data?.filter((topic) => topic.region.id !== id) ?? [];
  const parent = map.regions.find((other) => other.id === region?.parent);
  const call = (newName: string) => {
    name(false);
    rename(id, newName)
      .then(() => ["map", "topics", "gaps", "overlay"].map((key) => queries.invalidateQueries({ queryKey: [key] })))
      .catch(toastError);
  };
  return (
    <section aria-label={region?.name ?? String(id)} className="region">
      <button type="button" className="quiet" onClick={() => onRegion(parent?.id ?? null)}>
        <ArrowLeft size={15} aria-hidden />
        {parent ? parent.name : t("map.regions.all")}
      </button>
      <h2 ref={heading} tabIndex={-1}>
        {region?.name ?? id}
        <IfWritable>
          <button type="button" className="plain" aria-label={t("map.rename", { name: region?.name ?? id })} onClick={() => name(true)}>
            <Pencil size={15} aria-hidden />
          </button>
        </IfWritable>
      </h2>
      <NameDialog key={`${id}${isNaming}`} isOpen={isNaming} title={t("map.rename.title")} label={t("map.rename.how")} name={region?.name} onClose={() => name(false)} onSave={call} />
      {region?.named_by === "user" && (
        <IfWritable>
          <button type="button" className="link" onClick={() => call("")}>
            {t("map.rename.back")}
          </button>
        </IfWritable>
      )}
      {topics.error && <Trouble error={topics.error} onRetry={topics.refetch} />}
      {!topics.error && !topics.data && <Loading />}
      {region && <p className="muted">{region.terms.join(", ")}</p>}
      {ownTopic && (
        <>
          <p>{[sized(id, ownTopic.papers), grown(ownTopic.growth), describeOverlay(t, overlay, id)].filter(Boolean).join(" · ")}</p>
          {view.of === "papers" && <TrendChart of={`topic:${id}`} years={view.years} />}
          {inner.length > 0 && (
            <>
              <h3>{t("map.inner")}</h3>
              <ul className="chips">
                {inner.map((topic) => (
                  <li key={topic.region.id}>
                    <button type="button" className="chip" onClick={() => onRegion(topic.region.id)}>
                      {topic.region.name} · {number(counts ? (counts.get(topic.region.id) ?? 0) : topic.papers)}
                    </button>
                  </li>
                ))}
              </ul>
            </>
          )}
          {([["map.typical", ownTopic.typical], ["map.newest", ownTopic.newest]] as const).map(([title, papers]) => (
            <details key={title} open={title === "map.typical"}>
              <summary>{t(title)}</summary>
              <ol className="texts">
                {papers.map((paper, row) => (
                  <TextLine key={`${paper.id}${row}`} text={{ row, paper: paper.id, unit: "", title: paper.title, byline: "", year: paper.year }} />
                ))}
              </ol>
            </details>
          ))}
          <h3>{t(`map.all.${view.of}`, { n: rows.length })}</h3>
          <Texts of={view.of} state={map.state} rows={rows} name={region?.name ?? ""} onPoint={onPoint} />
        </>
      )}
    </section>
  );
}
