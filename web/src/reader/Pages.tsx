/** The pages of a PDF, one below the other; only those near the window are there. */
import { type Ref, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../i18n";
import { groupParts, type Piece, type Place } from "./lines";
import type { PageSize } from "./paper";
import { type Light, Sheet } from "./Sheet";
import type { PlacedMention } from "./paperMentions";

/** A place to go to; without a rectangle the page's upper edge. */
export type Goal = { page: number; rect?: Place["rect"] };
export interface PagesHandle {
  go: (goal: Goal) => void;
}

interface Props {
  paper: string;
  sizes: PageSize[];
  pieces: Map<number, Piece[]>;
  lights: Light[];
  /** Of the blocks. */
  spoken: Map<number, PlacedMention[]>;
  zoom: number;
  onPage: (page: number) => void;
  /** A page's picture is there, or there is none. */
  onDrawn: () => void;
  handle: Ref<PagesHandle>;
}

const GAP = 14;
const WIDEST = 900;
/** Of the window lies above what is gone to. */
const ABOVE = 0.28;
const NONE: never[] = [];

export function Pages({ paper, sizes, pieces, lights, spoken, zoom, onPage, onDrawn, handle }: Props) {
  const { t } = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const viewport = scroller.current!;
    const measure = () => setRoom(viewport.clientWidth);
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(viewport);
    return () => watcher.disconnect();
  }, []);

  const width = Math.max(200, Math.min(room - 2 * GAP, WIDEST)) * zoom;
  const heights = useMemo(() => sizes.map((size) => (size.height / size.width) * width), [sizes, width]);
  const starts = useMemo(() => {
    const tops = [GAP];
    for (const height of heights) tops.push(tops.at(-1)! + height + GAP);
    return tops; // the last is where one more would begin
  }, [heights]);
  const [[from, to], see] = useState<[number, number]>([0, 1]);

  // what is looked at stays where it is while pages become larger or smaller
  const looked = useRef({ at: 0, part: 0 });
  const laid = useRef({ starts, heights });
  const goal = useRef<Goal>(undefined);
  const goNow = useCallback(() => {
    const viewport = scroller.current;
    const { starts, heights } = laid.current;
    const at = (goal.current?.page ?? 0) - 1;
    if (!viewport || !goal.current || starts[at] === undefined) return;
    const { rect } = goal.current;
    const size = sizes[at]!;
    viewport.scrollTop = rect ? starts[at] + (rect[1] / size.height) * heights[at]! - viewport.clientHeight * ABOVE : starts[at] - GAP;
    if (rect) viewport.scrollLeft = (rect[0] / size.width) * width - viewport.clientWidth * ABOVE;
  }, [sizes, width]);
  useLayoutEffect(() => {
    laid.current = { starts, heights };
    const viewport = scroller.current!;
    if (goal.current) goNow();
    else viewport.scrollTop = (starts[looked.current.at] ?? 0) + looked.current.part * (heights[looked.current.at] ?? 0);
  }, [starts, heights, goNow]);
  useImperativeHandle(handle, () => ({
    go: (to) => {
      goal.current = to;
      goNow();
    },
  }));

  const lastPage = useRef(0);
  const scrolled = useCallback(() => {
    const { scrollTop, clientHeight } = scroller.current!;
    const before = (edge: number) => Math.max(0, starts.findLastIndex((start, at) => start <= edge && at < heights.length));
    const at = before(scrollTop);
    looked.current = { at, part: (scrollTop - starts[at]!) / (heights[at] || 1) };
    const near: [number, number] = [Math.max(0, at - 1), before(scrollTop + clientHeight) + 2];
    see((now) => (now[0] === near[0] && now[1] === near[1] ? now : near));
    const page = before(scrollTop + clientHeight * 0.4) + 1;
    if (page !== lastPage.current) onPage((lastPage.current = page));
  }, [starts, heights, onPage]);
  useEffect(scrolled, [scrolled, room]);
  // until somebody scrolls by hand, the goal stays in sight while pages get their sizes
  const freed = () => {
    goal.current = undefined;
  };
  const lit = useMemo(() => groupParts(lights, "page"), [lights]);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it hears only that somebody scrolls
    <div
      ref={scroller}
      className="pages"
      onScroll={scrolled}
      onWheel={freed}
      onPointerDown={freed}
      onKeyDown={freed}
      role="region"
      aria-label={t("reader.pages")}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- else it could not be scrolled by keys
      tabIndex={0}
    >
      <div style={{ height: starts.at(-1), minWidth: width + 2 * GAP, position: "relative" }}>
        {room > 0 &&
          sizes.slice(from, to).map((size, within) => {
            const index = from + within;
            return (
              <div
                key={size.page}
                className="sheet"
                data-page={size.page}
                role="group"
                aria-label={t("reader.page", { n: size.page })}
                style={{ top: starts[index], width, height: heights[index] }}
              >
                <Sheet
                  paper={paper}
                  size={size}
                  width={width}
                  pieces={pieces.get(size.page) ?? NONE}
                  lights={lit.get(size.page) ?? NONE}
                  spoken={spoken}
                  onDrawn={onDrawn}
                />
              </div>
            );
          })}
      </div>
    </div>
  );
}
