/** Entities that are taken for others, and taking one for another. */
import { Combine } from "lucide-react";
import { useState } from "react";
import type { Entity } from "../../api/types";
import { moment, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { EntityBox } from "./Box";
import { useMerge, useMerges, useUnmerge } from "./reviewQueries";

export function Merges({ onEntity }: { onEntity: (id: string) => void }) {
  const { t } = useWords();
  const mergesQuery = useMerges();
  const undo = useUnmerge();
  if (mergesQuery.error) return <Trouble error={mergesQuery.error} onRetry={mergesQuery.refetch} />;
  if (!mergesQuery.data) return <Loading as="cards" />;
  if (!mergesQuery.data.length)
    return (
      <Empty icon={Combine} title={t("merges.none")}>
        <p>{t("merges.none.how")}</p>
      </Empty>
    );
  return (
    <ul className="edges merges" aria-label={t("merges.title")}>
      {mergesQuery.data.map((merge) => (
        <li key={merge.entity}>
          <span className="ends">
            {merge.name} <span className="muted">{merge.entity}</span> →{" "}
            <button type="button" className="link" onClick={() => onEntity(merge.into)}>
              {merge.into_name}
            </button>{" "}
            <span className="muted">
              {merge.into} · {moment(merge.made)}
            </span>
          </span>
          <IfWritable>
            <button type="button" disabled={undo.isPending} onClick={() => undo.mutate(merge.entity)} aria-label={t("merges.undo.of", { one: merge.name, two: merge.into_name })}>
              {t("merges.undo")}
            </button>
          </IfWritable>
        </li>
      ))}
    </ul>
  );
}

/** Takes the entity that is looked at for another one. */
export function MergeForm({ entity, onMerged }: { entity: Entity; onMerged: (into: string) => void }) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  const merge = useMerge();
  return (
    <IfWritable>
      <div className="merging">
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          <Combine size={16} aria-hidden />
          {t("merges.begin")}
        </button>
        {isOpen && (
          <EntityBox
            label={t("review.merge.into", { name: entity.name })}
            onChoose={(into) =>
              merge.mutate(
                { entity: entity.id, into, name: entity.name },
                {
                  onSuccess: () => {
                    open(false);
                    onMerged(into);
                  },
                },
              )
            }
          />
        )}
      </div>
    </IfWritable>
  );
}
