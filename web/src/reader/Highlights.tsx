/** The highlights in a paper: each leads to its words; the one that is chosen can be changed. */
import { Copy, Download, NotebookPen, Trash2 } from "lucide-react";
import { type FormEvent, lazy, Suspense, useEffect, useRef } from "react";
import { address } from "../api/client";
import { useWords } from "../i18n";
import { writeClipboard } from "../parts/clipboard";
import { useDraft } from "../parts/draft";
import { toast, toastError } from "../parts/toast";
import { IfWritable } from "../shell/health";
import type { Color, Highlight } from "./highlights";
import "./highlights.css";
import { formatQuote, type FullPaper } from "./paper";
import { ColorButtons } from "./Selection";

const Markdown = lazy(() => import("../parts/Markdown"));

export interface HighlightActions {
  edit: (highlight: Highlight, to: { color?: Color; note?: string }) => Promise<unknown>;
  remove: (highlight: Highlight) => Promise<unknown>;
}

interface Props extends HighlightActions {
  paper: FullPaper;
  highlights: readonly Highlight[];
  /** The one that is looked at, and whether its note is being written. */
  chosen: string;
  isWriting: boolean;
  onChoose: (id: string, isWriting: boolean) => void;
  onGo: (highlight: Highlight) => void;
}

export function Highlights({ paper, highlights, chosen, isWriting, onChoose, onGo, ...doing }: Props) {
  const { t } = useWords();
  if (!highlights.length) return <p className="muted">{t("marks.none")}</p>;
  return (
    <>
      <p className="marks-head">
        <span className="muted">{t("marks.count", { n: highlights.length })}</span>
        <a className="button" href={address("/export", { format: "markdown", paper: paper.id })} download="notes.md">
          <Download size={14} aria-hidden />
          {t("marks.export")}
        </a>
      </p>
      <ul className="marks">
        {highlights.map((highlight) => (
          <HighlightItem
            key={highlight.id}
            highlight={highlight}
            paper={paper}
            isChosen={highlight.id === chosen}
            isWriting={highlight.id === chosen && isWriting}
            onChoose={(isWriting) => onChoose(highlight.id, isWriting)}
            onGo={() => {
              onChoose(highlight.id, false);
              onGo(highlight);
            }}
            {...doing}
          />
        ))}
      </ul>
    </>
  );
}

interface HighlightItemProps extends HighlightActions {
  highlight: Highlight;
  paper: FullPaper;
  isChosen: boolean;
  isWriting: boolean;
  onChoose: (isWriting: boolean) => void;
  onGo: () => void;
}

function HighlightItem({ highlight, paper, isChosen, isWriting, onChoose, onGo, edit, remove }: HighlightItemProps) {
  const { t } = useWords();
  const lineRef = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) lineRef.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  const copy = () => {
    const { text, html } = formatQuote(paper, highlight.quote, highlight.page);
    writeClipboard(text, html).then(() => toast(t("reader.copied")), toastError);
  };
  return (
    <li ref={lineRef} className={`highlight ${highlight.color}`} aria-current={isChosen || undefined}>
      <Quote highlight={highlight} onGo={onGo} />
      {isWriting ? (
        <NoteForm highlight={highlight} onSave={(note) => edit(highlight, { note })} onDone={() => onChoose(false)} />
      ) : (
        <Note text={highlight.note} />
      )}
      {isChosen && !isWriting && (
        <div className="doing">
          <IfWritable>
            <ColorButtons chosen={highlight.color} onColor={(color) => void edit(highlight, { color }).catch(toastError)} />
            <button type="button" className="link" onClick={() => onChoose(true)}>
              <NotebookPen size={14} aria-hidden />
              {t(highlight.note ? "marks.note.edit" : "marks.note.write")}
            </button>
          </IfWritable>
          <button type="button" className="link" onClick={copy}>
            <Copy size={14} aria-hidden />
            {t("reader.copy")}
          </button>
          <IfWritable>
            <button type="button" className="link" onClick={() => void remove(highlight).catch(toastError)}>
              <Trash2 size={14} aria-hidden />
              {t("remove")}
            </button>
          </IfWritable>
        </div>
      )}
    </li>
  );
}

/** The words, which lead to where they are, and their page. */
export function Quote({ highlight, onGo, where }: { highlight: Highlight; onGo: () => void; where?: string }) {
  const { t } = useWords();
  return (
    <>
      <button type="button" className="quote" onClick={onGo}>
        <span className="hidden">{t(`marks.color.${highlight.color}`)}: </span>
        {highlight.quote}
      </button>
      <p className="muted where">
        {where ?? (highlight.page ? t("reader.page", { n: highlight.page }) : "")}
        {!highlight.found && <span className="badge warn">{t("marks.lost")}</span>}
      </p>
    </>
  );
}

export function Note({ text }: { text: string }) {
  if (!text) return null;
  return (
    <div className="noted">
      <Suspense fallback={<p>{text}</p>}>
        <Markdown text={text} />
      </Suspense>
    </div>
  );
}

function NoteForm({ highlight, onSave, onDone }: { highlight: Highlight; onSave: (note: string) => Promise<unknown>; onDone: () => void }) {
  const { t } = useWords();
  const { text, write, drop } = useDraft(`highlight.${highlight.id}`, highlight.note);
  const leave = () => {
    drop();
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === highlight.note) leave();
    else onSave(text.trim()).then(leave, toastError);
  };
  return (
    <form onSubmit={submit}>
      <textarea
        rows={3}
        value={text}
        maxLength={20000}
        aria-label={t("marks.note.about")}
        placeholder={t("marks.note.hint")}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- where "Note" was pressed
        autoFocus
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          onDone();
        }}
      />
      <div className="doing">
        <button type="submit" className="primary">
          {t("save")}
        </button>
        <button type="button" onClick={leave}>
          {t("cancel")}
        </button>
      </div>
    </form>
  );
}
