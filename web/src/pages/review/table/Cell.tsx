/** A cell: its value, which opens its sentence, and how far it can be relied on. */
import { Pencil } from "lucide-react";
import { memo } from "react";
import type { Paper, TableCell } from "../../../api/types";
import { useWords } from "../../../i18n";
import { pageOf } from "../../../parts/CitationChip";
import { titleOf } from "../../../parts/PaperLine";
import { Tip, useTip } from "../../../parts/Tip";
import { useReading } from "../../../reader/reading";
import { markOf, statusWord, textOf } from "./rows";

interface Props {
  paper: Paper;
  cell: TableCell;
  onAbout: () => void;
}

export const Cell = memo(CellNow, (before, after) => before.cell === after.cell && before.paper === after.paper);

function CellNow({ paper, cell, onAbout }: Props) {
  const { t } = useWords();
  const text = textOf(cell);
  const mark = markOf(cell);
  return (
    <td data-status={cell.status}>
      <div>
        {text && cell.citations.length > 0 ? <Value paper={paper} cell={cell} /> : <span className={text ? "value" : "muted"}>{text || t(statusWord(cell.status))}</span>}
        <button type="button" className="plain" onClick={onAbout} aria-label={t("table.cell.of", { column: cell.column, paper: titleOf(paper) })}>
          <Pencil size={14} aria-hidden />
        </button>
      </div>
      {mark !== undefined && text && (
        <span className={`badge ${mark}`} title={cell.why || undefined}>
          {t(statusWord(cell.status))}
        </span>
      )}
    </td>
  );
}

/** A value that has sentences: they are shown where it is pointed at, and opened where it is pressed. */
function Value({ paper, cell }: Omit<Props, "onAbout">) {
  const { open } = useReading();
  const { isShown, hide, trigger, card } = useTip<HTMLButtonElement>();
  const [first] = cell.citations;
  const spans = cell.citations.flatMap((citation) => citation.spans.map((span) => span.id));
  const look = () => {
    hide();
    open({ paper: paper.id, page: first && pageOf(first), spans });
  };
  return (
    <>
      <button type="button" className="link value" {...trigger} onClick={look}>
        {textOf(cell)}
      </button>
      {isShown && (
        <Tip {...card}>
          {cell.citations.map((citation) => (
            <blockquote key={citation.spans[0]?.id ?? citation.marker}>{citation.quote}</blockquote>
          ))}
          <p className="muted">{first?.marker}</p>
        </Tip>
      )}
    </>
  );
}
