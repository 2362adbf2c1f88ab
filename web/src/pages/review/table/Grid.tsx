/** The rows and columns of a table; it scrolls sideways below the titles of its papers. */
import { ArrowDown, ArrowUp, Ellipsis } from "lucide-react";
import { useState } from "react";
import type { PaperRow, ReviewTable, TableColumn } from "../../../api/types";
import { useWords } from "../../../i18n";
import { useParams } from "../../../parts/params";
import { byline, titleOf } from "../../../parts/PaperLine";
import { useReading } from "../../../reader/reading";
import { Cell } from "./Cell";
import { CellDialog, type Place } from "./CellDialog";
import { ColumnDialog } from "./Columns";
import { kindOf, nextSort, sortOf } from "./rows";

interface Props {
  id: string;
  table: ReviewTable;
  sort: string;
  isOld: boolean;
}

export function Grid({ id, table, sort, isOld }: Props) {
  const { t } = useWords();
  const [place, look] = useState<Place>();
  const [column, about] = useState<TableColumn>();
  const cell = table.rows.find((row) => row.paper.id === place?.paper.id)?.cells.find((rowCell) => rowCell.column === place?.column);
  return (
    <div className="grid" aria-busy={isOld}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys */}
      <div className="scroll" tabIndex={0} role="region" aria-label={table.name}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t("table.paper")}</th>
              {table.columns.map((tableColumn) => (
                <Head key={tableColumn.name} column={tableColumn} sort={sort} onAbout={() => about(tableColumn)} />
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <Row key={row.paper.id} row={row} onAbout={(name) => look({ paper: row.paper, column: name })} />
            ))}
          </tbody>
        </table>
      </div>
      {!table.rows.length && <p className="muted">{t("table.no_rows")}</p>}
      {place && cell && <CellDialog id={id} place={place} cell={cell} onClose={() => look(undefined)} />}
      {column && <ColumnDialog id={id} column={column} sort={sort} onClose={() => about(undefined)} />}
    </div>
  );
}

function Head({ column, sort, onAbout }: { column: TableColumn; sort: string; onAbout: () => void }) {
  const { t } = useWords();
  const [, change] = useParams();
  const sorted = sortOf(sort, column.name);
  const Arrow = sorted === "ascending" ? ArrowUp : ArrowDown;
  return (
    <th scope="col" aria-sort={sorted}>
      <div>
        <button type="button" className="link" onClick={() => change({ sort: nextSort(sort, column.name), offset: null }, true)}>
          {column.name} {sorted && <Arrow size={14} aria-hidden />}
        </button>
        <button type="button" className="plain" onClick={onAbout} aria-label={t("table.column.of", { name: column.name })}>
          <Ellipsis size={16} aria-hidden />
        </button>
      </div>
      <small className="muted">{kindOf(column)}</small>
    </th>
  );
}

function Row({ row: { paper, cells }, onAbout }: { row: PaperRow; onAbout: (column: string) => void }) {
  const { open } = useReading();
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => open({ paper: paper.id })}>
          {titleOf(paper)}
        </button>
        <small className="muted">{[byline(paper), paper.year].filter(Boolean).join(" · ")}</small>
      </th>
      {cells.map((cell) => (
        <Cell key={cell.column} paper={paper} cell={cell} onAbout={() => onAbout(cell.column)} />
      ))}
    </tr>
  );
}
