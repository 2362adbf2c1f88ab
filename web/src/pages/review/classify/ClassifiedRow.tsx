/** A paper with its categories; they are corrected here. */
import { type FormEvent, useState } from "react";
import type { Classification } from "../../../api/types";
import { number, useWords } from "../../../i18n";
import { CitationChip } from "../../../parts/CitationChip";
import { PaperLine } from "../../../parts/PaperLine";
import { IfWritable } from "../../../shell/health";
import { pathOf, useChange } from "../reviews";

type ClassifiedPaper = Classification["papers"][number];
export type Choice = ClassifiedPaper["categories"][number];

const percent = (share: number) => number(share, { style: "percent", maximumFractionDigits: 0 });

/** A category with its probability and the sentence that decided. */
export function Chosen({ choice }: { choice: Choice }) {
  return (
    <div className="category">
      <span className="badge">{choice.name}</span>
      {choice.probability !== null && (
        <>
          <meter min={0} max={1} value={choice.probability} aria-label={choice.name} /> <span className="muted">{percent(choice.probability)}</span>
        </>
      )}
      {choice.citations.map((citation) => (
        <blockquote key={citation.spans[0]?.id ?? citation.marker}>
          {citation.quote} <CitationChip citation={citation} />
        </blockquote>
      ))}
    </div>
  );
}

export function ClassifiedRow({ id, row, classification }: { id: string; row: ClassifiedPaper; classification: Classification }) {
  const { t } = useWords();
  return (
    <li className="card">
      <PaperLine paper={row.paper} spans={row.categories.flatMap((choice) => choice.citations.flatMap((citation) => citation.spans.map((span) => span.id)))} />
      {row.categories.map((choice) => (
        <Chosen key={choice.name} choice={choice} />
      ))}
      {!row.categories.length && (
        <p className="muted">
          {row.closest && row.closest.probability !== null
            ? t("classify.closest", { name: row.closest.name, share: percent(row.closest.probability) })
            : t("classify.none")}
        </p>
      )}
      <IfWritable>
        <Correct id={id} row={row} classification={classification} />
      </IfWritable>
    </li>
  );
}

function Correct({ id, row, classification }: { id: string; row: ClassifiedPaper; classification: Classification }) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  const [chosen, choose] = useState(() => row.categories.map((choice) => choice.name));
  const change = useChange();
  const send = (changes: object) =>
    change.mutate({ method: "POST", path: pathOf("classify", id, "/papers"), body: { paper: row.paper.id, ...changes } }, { onSuccess: () => open(false) });
  const toggle = (name: string) => choose((before) => (before.includes(name) ? before.filter((other) => other !== name) : classification.several ? [...before, name] : [name]));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send({ categories: chosen });
  };
  return (
    <div className="correct">
      <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {t("classify.correct")}
      </button>
      {row.by === "user" && (
        <>
          <span className="badge">{t("classify.corrected")}</span>
          <button type="button" className="quiet" disabled={change.isPending} onClick={() => send({ undo: true })}>
            {t("reviews.undo")}
          </button>
        </>
      )}
      {isOpen && (
        <form onSubmit={submit}>
          {classification.categories.map(({ name }) => (
            <label key={name} className="check">
              <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
          ))}
          <button type="submit" className="primary" disabled={change.isPending}>
            {chosen.length ? t("save") : t("classify.none.save")}
          </button>
        </form>
      )}
    </div>
  );
}
