/** The papers as a table: only the rows in view are in the page, so that a hundred thousand scroll as ten do. */
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Info } from "lucide-react";
import { useRef } from "react";
import { type Key, useWords } from "../../i18n";
import { toastError } from "../../parts/toast";
import type { Selection } from "../../parts/selection";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { idsBetween, type Row, type Sort, useRows, usualOrder, type Wanted } from "./rows";

const HEIGHT = 46;
/** Shift takes at most so many. */
const MOST = 5000;
const COLUMNS: { name: "title" | "authors" | "year" | "venue" | "cited"; sort?: Sort }[] = [
  { name: "title", sort: "title" },
  { name: "authors" },
  { name: "year", sort: "year" },
  { name: "venue", sort: "venue" },
  { name: "cited", sort: "cited" },
];

interface Props {
  wanted: Wanted;
  hidden: ReadonlySet<string>;
  selection: Selection;
  onSort: (sort: Sort, order: "asc" | "desc") => void;
  onAbout: (id: string) => void;
  /** What stands there while there is none. */
  none: React.ReactNode;
  onTotal?: (total: number) => void;
}

export function Table({ wanted, hidden, selection, onSort, onAbout, none }: Props) {
  const { t } = useWords();
  const queries = useQueryClient();
  const held = useRef<HTMLDivElement>(null);
  const anchor = useRef<number>(undefined);
  const known = useTotal(wanted);
  const virtual = useVirtualizer({
    count: known ?? 0,
    getScrollElement: () => held.current,
    estimateSize: () => HEIGHT,
    overscan: 8,
  });
  const items = virtual.getVirtualItems();
  const { row, total, error, retry } = useRows(wanted, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  const choose = async (index: number, one: Row, withShift: boolean) => {
    const from = anchor.current;
    anchor.current = index;
    if (!withShift || from === undefined) return selection.toggle(one.id, [one.id]);
    const last = Math.abs(index - from) > MOST ? from + Math.sign(index - from) * MOST : index;
    try {
      const ids = await idsBetween(queries, wanted, from, last);
      selection.set([...selection.chosen, ...ids]);
    } catch (failed) {
      toastError(failed as Error);
    }
  };
  if (error && total === undefined) return <Trouble error={error} onRetry={retry} />;
  if (total === 0) return none;
  return (
    <>
      {error && <Trouble error={error} onRetry={retry} />}
      <div className="papers" role="table" aria-label={t("library.papers")} aria-rowcount={(total ?? 0) + 1} ref={held}>
        <div role="rowgroup" className="head">
          <div role="row" aria-rowindex={1} className="row">
            <span role="columnheader" className="choose">
              <span className="hidden">{t("library.select")}</span>
            </span>
            {COLUMNS.map((column) => (
              <Head key={column.name} column={column} wanted={wanted} onSort={onSort} />
            ))}
            <span role="columnheader" className="about">
              <span className="hidden">{t("library.about")}</span>
            </span>
          </div>
        </div>
        <div role="rowgroup" className="body" style={{ blockSize: virtual.getTotalSize() }}>
          {items.map((item) => {
            const one = row(item.index);
            const place = { transform: `translateY(${item.start}px)`, blockSize: HEIGHT };
            return one ? (
              <Paper
                key={item.key}
                row={one}
                index={item.index}
                place={place}
                isChosen={selection.chosen.has(one.id)}
                isGone={hidden.has(one.id)}
                onChoose={(withShift) => choose(item.index, one, withShift)}
                onAbout={() => onAbout(one.id)}
              />
            ) : (
              <div key={item.key} role="row" aria-rowindex={item.index + 2} className="row waiting" style={place}>
                <span role="cell">
                  <span className="hidden">{t("loading")}</span>
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** How many there are, for the height of all; the rows in view follow from it. */
const useTotal = (wanted: Wanted) => useRows(wanted, 0, 0).total;

function Head({ column: { name, sort }, wanted, onSort }: { column: (typeof COLUMNS)[number]; wanted: Wanted; onSort: Props["onSort"] }) {
  const { t } = useWords();
  const word = t(`library.column.${name}` as Key);
  if (!sort)
    return (
      <span role="columnheader" className={name}>
        {word}
      </span>
    );
  const isHere = wanted.sort === sort;
  const other = wanted.order === "asc" ? "desc" : "asc";
  const Arrow = wanted.order === "asc" ? ArrowUp : ArrowDown;
  return (
    <span role="columnheader" className={name} aria-sort={isHere ? (wanted.order === "asc" ? "ascending" : "descending") : "none"}>
      <button type="button" className="plain" onClick={() => onSort(sort, isHere ? other : usualOrder(sort))}>
        {word}
        {isHere && <Arrow size={14} aria-hidden />}
      </button>
    </span>
  );
}

interface PaperProps {
  row: Row;
  index: number;
  place: React.CSSProperties;
  isChosen: boolean;
  isGone: boolean;
  onChoose: (withShift: boolean) => void;
  onAbout: () => void;
}

function Paper({ row, index, place, isChosen, isGone, onChoose, onAbout }: PaperProps) {
  const { t } = useWords();
  const { reading, open } = useReading();
  const isOpen = reading?.paper === row.id;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`row${isChosen ? " chosen-row" : ""}${isOpen ? " open" : ""}${isGone ? " gone" : ""}`}
      style={place}
    >
      <span role="cell" className="choose">
        <label>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={isGone}
            onChange={() => undefined}
            onClick={(event) => onChoose(event.shiftKey)}
            aria-label={t("select", { title: row.title })}
          />
        </label>
      </span>
      <span role="cell" className="title">
        <button type="button" className="link" disabled={isGone} title={row.title} onClick={() => open({ paper: row.id })}>
          {row.title}
        </button>
        {!row.isWhole && <span className="badge">{t("abstract.only")}</span>}
        {row.tags.slice(0, 2).map((tag) => (
          <span key={tag} className="badge tag">
            {tag}
          </span>
        ))}
        <small className="narrow">{[row.authors, row.year, row.venue].filter(Boolean).join(" · ")}</small>
      </span>
      <span role="cell" className="authors" title={row.authors}>
        {row.authors}
      </span>
      <span role="cell" className="year">
        {row.year ?? ""}
      </span>
      <span role="cell" className="venue" title={row.venue}>
        {row.venue}
      </span>
      <span role="cell" className="cited">
        {row.cited?.toLocaleString() ?? ""}
      </span>
      <span role="cell" className="about">
        <button type="button" className="plain" disabled={isGone} onClick={onAbout} aria-label={t("library.about.of", { title: row.title })}>
          <Info size={16} aria-hidden />
        </button>
      </span>
    </div>
  );
}
