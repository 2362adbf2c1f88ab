/** What a paper speaks of, beside it. */
import type { Mention } from "../api/types";
import { useWords } from "../i18n";
import { EntityLink } from "../parts/EntityChips";
import { by, keyOf } from "../parts/entities";

interface Props {
  mentions: readonly Mention[];
  isMarked: boolean;
  onMarked: (wish: boolean) => void;
  /** To where an entity is first spoken of. */
  onGo: (entity: string) => void;
}

export function Entities({ mentions, isMarked, onMarked, onGo }: Props) {
  const { t } = useWords();
  const groups = [...by(keyOf, mentions)].sort(([, a], [, b]) => b.length - a.length);
  return (
    <>
      <label className="check">
        <input type="checkbox" checked={isMarked} onChange={(event) => onMarked(event.target.checked)} /> {t("reader.entities.mark")}
      </label>
      <ul className="entities">
        {groups.map(([key, [first, ...more]]) => (
          <li key={key}>
            <button type="button" className="link" onClick={() => onGo(key)} aria-label={t("reader.entities.go", { name: first!.name })}>
              {first!.name}
            </button>
            <EntityLink entity={first!} className="muted">
              {first!.entity} · {t("graph.mentions", { n: more.length + 1 })}
            </EntityLink>
          </li>
        ))}
      </ul>
    </>
  );
}
