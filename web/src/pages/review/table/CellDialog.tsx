/** All that is known of a cell; it is edited and read again here. */
import { type FormEvent, useState } from "react";
import type { Paper, TableCell } from "../../../api/types";
import { type Key, useWords } from "../../../i18n";
import { pageOf } from "../../../parts/CitationChip";
import { Dialog } from "../../../parts/Dialog";
import { titleOf } from "../../../parts/PaperLine";
import { Remedy } from "../../../parts/Remedy";
import { ModelNames } from "../../../parts/ModelName";
import { toastError } from "../../../parts/toast";
import { useReading } from "../../../reader/reading";
import { IfWritable } from "../../../shell/health";
import { pathOf, useBegin, useChange } from "../reviews";
import { statusWord, textOf } from "./rows";

export interface Place {
  paper: Paper;
  column: string;
}

interface Props {
  id: string;
  place: Place;
  cell: TableCell;
  onClose: () => void;
}

export function CellDialog({ id, place: { paper, column }, cell, onClose }: Props) {
  const { t } = useWords();
  const { open } = useReading();
  const start = useBegin();
  const rerun = () => {
    const body = { column: [column], paper: [paper.id], limit: 0 };
    start.mutate({ path: pathOf("table", id, "/rerun"), body }, { onError: toastError, onSuccess: onClose });
  };
  return (
    <Dialog isOpen title={column} onClose={onClose}>
      <p className="muted">{titleOf(paper)}</p>
      <p>
        <strong>{textOf(cell)}</strong> <span className="badge">{t(statusWord(cell.status))}</span> <span className="muted">{cell.by.startsWith("model:") && <ModelNames names={cell.by.slice(6).split(", ")} />}</span>
      </p>
      <p className="muted">
        <Remedy text={cell.why || t(`${statusWord(cell.status)}.what` as Key)} />
      </p>
      {cell.citations.map((citation) => {
        const spans = citation.spans.map((span) => span.id);
        return (
          <blockquote key={spans.join()}>
            {citation.quote}{" "}
            <button type="button" className="chip" onClick={() => (onClose(), open({ paper: paper.id, page: pageOf(citation), spans }))}>
              {t("reviews.open")}
            </button>
          </blockquote>
        );
      })}
      <IfWritable>
        <CellEditor id={id} cell={cell} paper={paper} onDone={onClose} />
        <button type="button" className="quiet" disabled={start.isPending} onClick={rerun}>
          {t("table.again.cell")}
        </button>
      </IfWritable>
    </Dialog>
  );
}

function CellEditor({ id, cell, paper, onDone }: { id: string; cell: TableCell; paper: Paper; onDone: () => void }) {
  const { t } = useWords();
  const [value, type] = useState(textOf(cell));
  const change = useChange<TableCell>();
  const edit = (text: string) =>
    change.mutate({ method: "PATCH", path: pathOf("table", id, "/cells"), body: { paper: paper.id, column: cell.column, value: text } }, { onSuccess: onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (value.trim()) edit(value.trim());
  };
  return (
    <form className="editing" onSubmit={submit}>
      <label className="above">
        {t("table.value")}
        <input value={value} maxLength={1000} onChange={(event) => type(event.target.value)} autoComplete="off" />
      </label>
      <button type="submit" className="primary" disabled={change.isPending || !value.trim() || value.trim() === textOf(cell)}>
        {t("save")}
      </button>
      {cell.status === "edited" && (
        <button type="button" disabled={change.isPending} onClick={() => edit("")}>
          {t("table.as_read")}
        </button>
      )}
    </form>
  );
}
