/** A paper: its pages or its text, the cited sentences lit, and what belongs to it. */
import { BookOpen, Highlighter, Image, Info, List, Minus, Plus, Quote, ScrollText, Search, Waypoints } from "lucide-react";
import { type MouseEvent, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { Key } from "../i18n";
import { useWords } from "../i18n";
import { Loading } from "../parts/Loading";
import { byline, titleOf } from "../parts/PaperLine";
import { StatusBadge } from "../parts/StatusBadge";
import { extentOf, TextBadge } from "../parts/TextBadge";
import { toastError } from "../parts/toast";
import { Trouble } from "../parts/Trouble";
import { useReadOnly } from "../shell/health";
import { useKeys } from "../shell/keys";
import { keyOf } from "../parts/entities";
import { select } from "./selectedText";
import { Entities } from "./Entities";
import { Find } from "./Find";
import { type Frame, Head, EmptyReader } from "./Head";
import { Highlights } from "./Highlights";
import { type Highlight, locateMarks, useHighlights, useHighlightActions, type Wish } from "./highlights";
import { find, foldText, groupParts, piecesOf, type Place, placesOf } from "./lines";
import { Pages, type PagesHandle } from "./Pages";
import { Details, Figures, Outline, References } from "./Panels";
import { type PageSize, usePages, usePaper, useReferences, useSentences, useStructure, type FullPaper } from "./paper";
import { type Reading, useOpenCount } from "./reading";
import { Selection } from "./Selection";
import { usePaperMentions } from "./paperMentions";
import type { Light } from "./Sheet";
import { type TextHandle, Text } from "./Text";
import { tex } from "../parts/tex";

interface Props extends Frame {
  reading: Reading;
}

export default function Reader(props: Props) {
  const paper = usePaper(props.reading.paper);
  if (paper.data && !paper.error) return <Open key={paper.data.id} paper={paper.data} {...props} />;
  return (
    <EmptyReader {...props}>
      <QueryStatus query={paper} />
    </EmptyReader>
  );
}

type Panel = "outline" | "highlights" | "figures" | "references" | "details" | "entities";
const PANELS: { panel: Panel; icon: typeof List }[] = [
  { panel: "outline", icon: List },
  { panel: "highlights", icon: Highlighter },
  { panel: "figures", icon: Image },
  { panel: "references", icon: Quote },
  { panel: "details", icon: Info },
  { panel: "entities", icon: Waypoints },
];
const ZOOMS = [0.5, 0.65, 0.8, 1, 1.25, 1.5, 2, 2.5, 3];
/** Whether the words of entities are to be marked: "no", if somebody said so. */
const MARKS_KEY = "conspectus.entities";
const A4 = { width: 595, height: 842 };
const NONE: never[] = [];
/** Until it is known how large the pages are. */
const NO_PLACES = new Map<number, never[]>();

function Open({ paper, reading, ...frame }: Props & { paper: FullPaper }) {
  const { t } = useWords();
  const isPdf = (paper.files).some((file) => file.path.toLowerCase().endsWith(".pdf"));
  const known = usePages(paper.id, isPdf);
  const hasPages = isPdf && !known.error;
  const [wantsText, asText] = useState(false);
  const isText = wantsText || !hasPages;
  const [zoom, setZoom] = useState(1);
  const [page, setPage] = useState(1);
  const [panel, show] = useState<Panel | "">("");
  const [isFocused, focused] = useState(false);
  const readerRef = useRef<HTMLDivElement>(null);
  const turning = useRef<PagesHandle>(null);
  const scrolling = useRef<TextHandle>(null);

  // the picture of the page that is opened goes first; the words of a book are megabytes
  const [isDrawn, drawn] = useState(false);
  const drew = useCallback(() => drawn(true), []);
  const structure = useStructure(paper.id, isDrawn || isText || !!panel);
  const cites = useReferences(paper.id, isText || panel === "references");
  const references = cites.data ?? NONE;
  const { cited, error: lost } = useSentences(reading.spans ?? NONE);
  const blocks = structure.data?.blocks ?? NONE;
  const pieces = useMemo(() => piecesOf(blocks), [blocks]);
  const words = useMemo(() => groupParts(pieces, "page"), [pieces]);
  const inBlocks = useMemo(() => groupParts(pieces, "block"), [pieces]);
  const { mentions, spoken } = usePaperMentions(paper.id, blocks, isDrawn || isText);
  const [isMarked, underline] = useState(() => localStorage.getItem(MARKS_KEY) !== "no");
  const underlined = useMemo(() => groupParts(isMarked ? spoken : NONE, "block"), [spoken, isMarked]);
  const { data: highlights = NONE } = useHighlights({ paper: paper.id }, isDrawn || isText || !!panel);
  const marked = useMemo(() => locateMarks(highlights, blocks), [highlights, blocks]);
  const inMarks = useMemo(() => groupParts(marked, "block"), [marked]);
  const marking = useHighlightActions(highlights);
  const [looked, look] = useState({ id: "", isWriting: false });
  const first = cited.find((sentence) => sentence.span.places.length);
  const start = first?.span.places[0]?.page ?? reading.page ?? 1;
  const sizes = useMemo(() => known.data ?? blank(Math.max(start, ...words.keys())), [known.data, start, words]);

  const searched = useTextSearch(blocks, inBlocks, isText);
  const goToFound = (at: number) => {
    const hit = searched.hits[at];
    const place = hit && placesOf(hit, inBlocks)[0];
    if (hit && isText) scrolling.current?.go(hit.block, "here");
    else if (place) turning.current?.go(place);
  };
  useEffect(() => {
    if (searched.isOpen) goToFound(searched.at);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only what is found moves the page
  }, [searched.hits, searched.at]);

  const lights = useMemo<Light[]>(() => {
    const lit = cited.flatMap(({ span }) => span.places.map((place) => ({ ...place, span: span.id, kind: "lit" })));
    const hits = searched.hits.flatMap((hit, at) =>
      placesOf(hit, inBlocks).map((place) => ({ ...place, kind: at === searched.at ? "here" : "found" })),
    );
    const highlighted = highlights.flatMap((mark) => mark.places.map((place) => ({ ...place, mark, kind: "marked" })));
    return [...lit, ...highlighted, ...hits] as Light[];
  }, [cited, highlights, searched.hits, searched.at, inBlocks]);

  // to the sentence that was opened, each time one is
  const opened = useOpenCount();
  const chosen = cited[0]?.span;
  const isReady = !isText || blocks.length > 0;
  useEffect(() => {
    const block = chosen ? blocks.findIndex((candidate) => candidate.text.includes(chosen.text)) : -1;
    if (isText && block >= 0) scrolling.current?.go(block, "lit");
    else if (first) turning.current?.go(first.span.places[0]!);
    else if (reading.page) turning.current?.go({ page: reading.page });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- when something else is opened, or comes to be known
  }, [chosen?.id, first?.span.id, reading.page, opened, isReady, isText]);
  useEffect(() => {
    if (isReady && document.activeElement === readerRef.current?.parentElement)
      readerRef.current?.querySelector<HTMLElement>('[role="region"]')?.focus({ preventScroll: true });
  }, [isReady, opened, isText]);

  const goToBlock = (at: number) => {
    const place = blocks[at]?.sentences[0]?.places[0];
    if (isText) scrolling.current?.go(at);
    else if (place) turning.current?.go(place);
  };
  const goToEntity = (entity: string) => {
    const stretch = spoken.find(({ mention }) => keyOf(mention) === entity);
    const place = stretch && placesOf(stretch, inBlocks)[0];
    if (stretch && isText) scrolling.current?.go(stretch.block);
    else if (place) turning.current?.go(place);
  };
  const goToHighlight = (highlight: Highlight) => {
    const stretch = marked.find(({ mark }) => mark.id === highlight.id);
    if (isText && stretch) scrolling.current?.go(stretch.block, highlight.id);
    else if (highlight.places[0]) turning.current?.go(highlight.places[0]);
  };
  const chooseHighlight = (id: string, isWriting = false) => {
    look({ id, isWriting });
    show("highlights");
  };
  const isReadOnly = useReadOnly();
  const mark = (wish: Wish, isNoted = false) =>
    void marking.add(paper.id, wish, !isNoted).then((highlight) => isNoted && chooseHighlight(highlight.id, true), toastError);
  /** A highlight that is pressed is shown among the others, with its note; a cited sentence is selected, to be marked. */
  const pressed = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (!document.getSelection()?.isCollapsed || target.closest("a, button, .side, .entity-words")) return;
    const spot = spotOf(event, sizes);
    const isHere = (place: Place) => !!spot && isIn(place, spot);
    const id = target.closest<HTMLElement>("[data-highlight]")?.dataset.highlight ?? highlights.find((highlight) => highlight.places.some(isHere))?.id;
    if (id) return chooseHighlight(id);
    const span = target.closest<HTMLElement>("[data-span]")?.dataset.span;
    const lit = cited.find((sentence) => sentence.span.id === span || sentence.span.places.some(isHere))?.span;
    const at = blocks.findIndex((block) => lit && block.text.includes(lit.text));
    if (lit && at >= 0 && readerRef.current) {
      const start = blocks[at]!.text.indexOf(lit.text);
      select(readerRef.current, at, start, start + lit.text.length);
    }
  };
  const goToPage = (to: number) => turning.current?.go({ page: Math.min(Math.max(1, to), sizes.length) });
  const step = (by: number) => setZoom((now) => ZOOMS[Math.min(Math.max(0, ZOOMS.indexOf(now) + by), ZOOMS.length - 1)]!);
  const turn = isText ? [] : [
    { keys: "n", does: "reader.next" as Key, run: () => goToPage(page + 1) },
    { keys: "PageDown", does: "reader.next" as Key, run: () => goToPage(page + 1) },
    { keys: "p", does: "reader.before" as Key, run: () => goToPage(page - 1) },
    { keys: "PageUp", does: "reader.before" as Key, run: () => goToPage(page - 1) },
    { keys: "+", does: "reader.larger" as Key, run: () => step(1) },
    { keys: "-", does: "reader.smaller" as Key, run: () => step(-1) },
  ];
  const marksLit = () => mark({ sentences: cited.map((sentence) => sentence.span.id) });
  const toMark = cited.length && !isReadOnly ? [{ keys: "h", does: "marks.key" as Key, run: marksLit }] : [];
  useKeys(isFocused ? [{ keys: "/", does: "reader.find", run: searched.open }, ...turn, ...toMark] : []);

  const unplaced = isText ? NONE : cited.filter((sentence) => !sentence.span.places.length);
  return (
    <div className="reader" ref={readerRef} onFocus={() => focused(true)} onBlur={() => focused(false)}>
      <Head {...frame}>
        <h2>{titleOf(paper)}</h2>
        <p className="muted">
          {[byline(paper), paper.year].filter(Boolean).join(" · ")}{" "}
          <StatusBadge status={paper.publication_status} />{" "}
          <TextBadge extent={extentOf(paper)} isWarning />
        </p>
      </Head>
      <div className="bar" role="toolbar" aria-label={t("reader.tools")}>
        {PANELS.filter((tool) => tool.panel !== "entities" || mentions.length).map(({ panel: name, icon: Icon }) => (
          <Tool
            key={name}
            icon={Icon}
            name={t(`reader.${name}`)}
            label={t(`reader.${name}.short`)}
            isOn={panel === name}
            onClick={() => show(panel === name ? "" : name)}
          />
        ))}
        <Tool icon={Search} name={t("reader.find")} label={t("reader.find.short")} isOn={searched.isOpen} onClick={searched.isOpen ? searched.close : searched.open} />
        {hasPages && (
          <Tool
            icon={isText ? BookOpen : ScrollText}
            name={t(isText ? "reader.as_pages" : "reader.as_text")}
            label={t(isText ? "reader.pages" : "reader.text")}
            onClick={() => asText(!isText)} />
        )}
        {!isText && (
          <>
            <span className="gap" />
            <PageField page={page} count={sizes.length} onPage={goToPage} />
            <Tool icon={Minus} name={t("reader.smaller")} onClick={() => step(-1)} />
            <Tool icon={Plus} name={t("reader.larger")} onClick={() => step(1)} />
          </>
        )}
      </div>
      {searched.isOpen && (
        <Find {...searched} count={searched.hits.length} onWords={searched.type} onStep={searched.step} onClose={searched.close} />
      )}
      {lost && <Trouble error={lost} />}
      {known.error && <Trouble error={known.error} onRetry={known.refetch} />}
      {unplaced.map(({ span }) => (
        <blockquote key={span.id} className="unplaced">
          <p>{span.text}</p>
          <p className="muted">{t("reader.no_place")}</p>
        </blockquote>
      ))}
      <p className="hidden" role="status">
        {chosen && t(chosen.places.length ? "reader.lit_on" : "reader.lit", { page: start, quote: tex(chosen.text) })}
      </p>
      {/* by keys they are chosen in the panel */}
      {/* eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div className="body" onClick={pressed}>
        {panel && (
          <section className="side" aria-label={t(`reader.${panel}`)}>
            {panel !== "details" && panel !== "entities" && panel !== "highlights" && <QueryStatus query={panel === "references" ? cites : structure} />}
            {panel === "outline" && structure.data && <Outline blocks={blocks} onGo={goToBlock} />}
            {panel === "figures" && structure.data && (
              <Figures
                paper={paper.id}
                figures={structure.data.figures}
                onGo={(figure) => figure.place && turning.current?.go(figure.place)}
              />
            )}
            {panel === "references" && cites.data && <References references={references} />}
            {panel === "highlights" && (
              <Highlights
                paper={paper}
                highlights={highlights}
                chosen={looked.id}
                isWriting={looked.isWriting}
                onChoose={chooseHighlight}
                onGo={goToHighlight}
                edit={marking.edit}
                remove={marking.remove}
              />
            )}
            {panel === "details" && <Details paper={paper} />}
            {panel === "entities" && (
              <Entities
                mentions={mentions}
                isMarked={isMarked}
                onMarked={(wish) => {
                  underline(wish);
                  localStorage.setItem(MARKS_KEY, wish ? "yes" : "no");
                }}
                onGo={goToEntity}
              />
            )}
          </section>
        )}
        {!isText && (
          <Pages
            paper={paper.id}
            sizes={sizes}
            pieces={known.data ? words : NO_PLACES}
            lights={known.data ? lights : NONE}
            spoken={underlined}
            zoom={zoom}
            onPage={setPage}
            onDrawn={drew}
            handle={turning}
          />
        )}
        {isText && <QueryStatus query={structure} />}
        {isText && structure.data && !blocks.length && <p className="muted nothing">{t("reader.title_only")}</p>}
        {isText && structure.data && blocks.length > 0 && (
          <Text
            blocks={blocks}
            lit={cited.map((sentence) => sentence.span)}
            hits={searched.hits}
            here={searched.at}
            references={references}
            spoken={underlined}
            marked={inMarks}
            handle={scrolling}
          />
        )}
      </div>
      <Selection paper={paper} within={readerRef} blocks={blocks} onMark={mark} />
    </div>
  );
}

/** Where a page is pressed, in its own units. */
function spotOf({ target, clientX, clientY }: MouseEvent, sizes: readonly PageSize[]) {
  const sheet = (target as HTMLElement).closest<HTMLElement>(".sheet");
  const page = Number(sheet?.dataset.page);
  const size = sizes[page - 1];
  if (!sheet || !size) return null;
  const box = sheet.getBoundingClientRect();
  return { page, x: ((clientX - box.left) / box.width) * size.width, y: ((clientY - box.top) / box.height) * size.height };
}

const isIn = ({ page, rect: [x0, y0, x1, y1] }: Place, spot: { page: number; x: number; y: number }) =>
  page === spot.page && x0 <= spot.x && spot.x <= x1 && y0 <= spot.y && spot.y <= y1;

const blank = (count: number): PageSize[] => Array.from({ length: count }, (_, at) => ({ page: at + 1, ...A4 }));

/** Until something is there: that it is on its way, or why it does not come. */
function QueryStatus({ query: { error, isPending, refetch } }: { query: { error: Error | null; isPending: boolean; refetch: () => void } }) {
  if (error) return <Trouble error={error} onRetry={refetch} />;
  return isPending ? <Loading /> : null;
}

interface ToolProps {
  icon: typeof List;
  name: string;
  /** Words of the name that stand below the icon. */
  label?: string;
  isOn?: boolean;
  onClick: () => void;
}

function Tool({ icon: Icon, name, label, isOn, onClick }: ToolProps) {
  return (
    <button type="button" className={label ? "plain tool" : "plain"} onClick={onClick} aria-label={name} title={name} aria-pressed={isOn}>
      <Icon size={18} aria-hidden />
      {label && <small>{label}</small>}
    </button>
  );
}

function PageField({ page, count, onPage }: { page: number; count: number; onPage: (page: number) => void }) {
  const { t } = useWords();
  return (
    <form
      key={page}
      className="page-field"
      onSubmit={(event) => {
        event.preventDefault();
        onPage(Number(new FormData(event.currentTarget).get("page")));
      }}
    >
      <input name="page" inputMode="numeric" defaultValue={page} aria-label={t("reader.page_field")} />
      <span className="muted">{t("reader.of", { n: count })}</span>
    </form>
  );
}

/** The words looked for, and where they stand. */
function useTextSearch(blocks: Parameters<typeof piecesOf>[0], placed: Map<number, unknown>, isText: boolean) {
  const [isOpen, setOpen] = useState(false);
  const [words, type] = useState("");
  const [at, set] = useState(0);
  const query = useDeferredValue(isOpen ? words : "");
  const folds = useMemo(() => (isOpen ? blocks.map((block) => foldText(block.text)) : NONE), [blocks, isOpen]);
  const hits = useMemo(
    () => find(folds, query).filter((hit) => isText || placed.has(hit.block)),
    [folds, query, isText, placed],
  );
  return {
    isOpen,
    words,
    hits,
    at: Math.min(at, Math.max(0, hits.length - 1)),
    type: (words: string) => {
      type(words);
      set(0);
    },
    step: (by: number) => set((now) => (hits.length ? (now + by + hits.length) % hits.length : 0)),
    open: () => setOpen(true),
    close: () => setOpen(false),
  };
}
