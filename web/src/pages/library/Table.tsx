/** The papers as a table: only the rows in view are in the page, so that a hundred thousand scroll as ten do. */
import { useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ArrowUp, Info } from "lucide-react";
import { type CSSProperties, memo, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { type Key, number, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { toastError } from "../../parts/toast";
import type { Selection } from "../../parts/selection";
import { StatusBadge } from "../../parts/StatusBadge";
import { TextBadge } from "../../parts/TextBadge";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { idsBetween, type Row, type Sort, useRows, usualOrder, useTotal, type PaperCriteria } from "./rows";

/** The height of a row, unless the style sheet sets another one (`--row`), as it does on a phone. */
const HEIGHT = 46;
/** Shift takes at most so many. */
const MOST = 5000;
/** The title has the room that the others leave. */
const COLUMNS: { name: "title" | "authors" | "year" | "venue" | "cited"; sort?: Sort; width: string }[] = [
  { name: "title", sort: "title", width: "minmax(0, 1fr)" },
  { name: "authors", width: "8.5rem" },
  { name: "year", sort: "year", width: "3rem" },
  { name: "venue", sort: "venue", width: "8rem" },
  { name: "cited", sort: "cited", width: "3.6rem" },
];
/** Columns that are left out while no row has a value. */
const OPTIONAL = ["venue", "cited"] as const;

interface Props {
  criteria: PaperCriteria;
  hidden: ReadonlySet<string>;
  selection: Selection;
  onSort: (sort: Sort, order: "asc" | "desc") => void;
  onAbout: (id: string) => void;
  /** What stands there while there is none. */
  none: React.ReactNode;
  onTotal?: (total: number) => void;
}

export function Table({ criteria, hidden, selection, onSort, onAbout, none }: Props) {
  const { t } = useWords();
  const queries = useQueryClient();
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<number>(undefined);
  const total = useTotal(criteria);
  const { reading, open } = useReading();
  const height = useRowHeight(scroller, !!total);
  const virtual = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const items = virtual.getVirtualItems();
  const { row, hasAny, error, retry } = useRows(criteria, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  const without = OPTIONAL.filter((name) => criteria.sort !== name && !hasAny(name)).join(" ");
  const columns = useMemo(() => COLUMNS.filter(({ name }) => !without.split(" ").includes(name)), [without]);
  const style = { "--columns": ["2.4rem", ...columns.map(({ width }) => width), "2.4rem"].join(" ") } as CSSProperties;
  const choose = async (index: number, id: string, withShift: boolean) => {
    const from = anchor.current;
    anchor.current = index;
    if (!withShift || from === undefined) return selection.toggle(id, [id]);
    const last = Math.abs(index - from) > MOST ? from + Math.sign(index - from) * MOST : index;
    try {
      const ids = await idsBetween(queries, criteria, from, last);
      selection.set([...selection.chosen, ...ids]);
    } catch (failed) {
      toastError(failed as Error);
    }
  };
  const now = useRef<RowActions>(null!);
  useEffect(() => {
    now.current = { choose, open: (id) => open({ paper: id }), about: onAbout };
  });
  const doing = useMemo<RowActions>(
    () => ({
      choose: (...args) => now.current.choose(...args),
      open: (id) => now.current.open(id),
      about: (id) => now.current.about(id),
    }),
    [],
  );
  if (error && total === undefined) return <Trouble error={error} onRetry={retry} />;
  if (total === undefined) return <Loading as="rows" />;
  if (total === 0) return none;
  return (
    <>
      {error && <Trouble error={error} onRetry={retry} />}
      <div className="papers" role="table" aria-label={t("library.papers")} aria-rowcount={(total ?? 0) + 1} ref={scroller} style={style}>
        <div role="rowgroup" className="head">
          <div role="row" aria-rowindex={1} className="row">
            <span role="columnheader" className="choose">
              <span className="hidden">{t("library.select")}</span>
            </span>
            {columns.map((column) => (
              <Head key={column.name} column={column} criteria={criteria} onSort={onSort} />
            ))}
            <span role="columnheader" className="about">
              <span className="hidden">{t("library.about")}</span>
            </span>
          </div>
        </div>
        <div role="rowgroup" className="body" style={{ blockSize: virtual.getTotalSize() }}>
          {items.map((item) => {
            const paper = row(item.index);
            return paper ? (
              <Paper
                key={item.key}
                row={paper}
                index={item.index}
                start={item.start}
                height={height}
                columns={columns}
                isOpen={reading?.paper === paper.id}
                isChosen={selection.chosen.has(paper.id)}
                isGone={hidden.has(paper.id)}
                doing={doing}
              />
            ) : (
              <div key={item.key} role="row" aria-rowindex={item.index + 2} className="row waiting" style={rowStyle(item.start, height)}>
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

const rowStyle = (start: number, height: number) => ({ transform: `translateY(${start}px)`, blockSize: height });

/** The height of a row at the table's present width. */
function useRowHeight(table: RefObject<HTMLElement | null>, isThere: boolean): number {
  const [height, setHeight] = useState(HEIGHT);
  useEffect(() => {
    const element = table.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() => setHeight(parseFloat(getComputedStyle(element).getPropertyValue("--row")) || HEIGHT));
    observer.observe(element);
    return () => observer.disconnect();
  }, [table, isThere]);
  return height;
}

function Head({ column: { name, sort }, criteria, onSort }: { column: (typeof COLUMNS)[number]; criteria: PaperCriteria; onSort: Props["onSort"] }) {
  const { t } = useWords();
  const word = t(`library.column.${name}` as Key);
  if (!sort)
    return (
      <span role="columnheader" className={name}>
        {word}
      </span>
    );
  const isHere = criteria.sort === sort;
  const other = criteria.order === "asc" ? "desc" : "asc";
  const Arrow = criteria.order === "asc" ? ArrowUp : ArrowDown;
  return (
    <span role="columnheader" className={name} aria-sort={isHere ? (criteria.order === "asc" ? "ascending" : "descending") : "none"}>
      <button type="button" className="plain" onClick={() => onSort(sort, isHere ? other : usualOrder(sort))}>
        {word}
        {isHere && <Arrow size={14} aria-hidden />}
      </button>
    </span>
  );
}

interface RowActions {
  choose: (index: number, id: string, withShift: boolean) => void;
  open: (id: string) => void;
  about: (id: string) => void;
}

interface PaperProps {
  row: Row;
  index: number;
  start: number;
  height: number;
  columns: typeof COLUMNS;
  isChosen: boolean;
  isGone: boolean;
  isOpen: boolean;
  /** The same at each time, so that scrolling draws only what comes into view. */
  doing: RowActions;
}

const Paper = memo(function Paper({ row, index, start, height, columns, isChosen, isGone, isOpen, doing }: PaperProps) {
  const { t } = useWords();
  const has = (name: string) => columns.some((column) => column.name === name);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={`row${isChosen ? " chosen-row" : ""}${isOpen ? " open" : ""}${isGone ? " gone" : ""}`}
      style={rowStyle(start, height)}
    >
      <span role="cell" className="choose">
        <label>
          <input
            type="checkbox"
            checked={isChosen}
            disabled={isGone}
            onChange={() => undefined}
            onClick={(event) => doing.choose(index, row.id, event.shiftKey)}
            aria-label={t("select", { title: row.title })}
          />
        </label>
      </span>
      <span role="cell" className="title">
        <button type="button" className="link" disabled={isGone} title={row.title} onClick={() => doing.open(row.id)}>
          {row.title}
        </button>
        <StatusBadge status={row.status} />
        {row.tags.slice(0, 2).map((tag) => (
          <span key={tag} className="badge tag">
            {tag}
          </span>
        ))}
        <small className="narrow">{[row.extent !== "full" && t(`extent.${row.extent}`), row.authors, row.year, row.venue].filter(Boolean).join(" · ")}</small>
      </span>
      <span role="cell" className="authors" title={row.authors}>
        {row.authors}
        <TextBadge extent={row.extent} />
      </span>
      <span role="cell" className="year">
        {row.year ?? ""}
      </span>
      {has("venue") && (
        <span role="cell" className="venue" title={row.venue}>
          {row.venue}
        </span>
      )}
      {has("cited") && (
        <span role="cell" className="cited">
          {row.cited === null ? "" : number(row.cited)}
        </span>
      )}
      <span role="cell" className="about">
        <button type="button" className="plain" disabled={isGone} onClick={() => doing.about(row.id)} aria-label={t("library.about.of", { title: row.title })}>
          <Info size={16} aria-hidden />
        </button>
      </span>
    </div>
  );
});
