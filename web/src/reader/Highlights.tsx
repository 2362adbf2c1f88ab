/** The highlights in a paper: each leads to its words; the one that is chosen can be changed. */
import { Copy, Download, NotebookPen, Trash2 } from "lucide-react";
import { type FormEvent, lazy, Suspense, useEffect, useRef } from "react";
import { address } from "../api/client";
import { useWords } from "../i18n";
import { writeClipboard } from "../parts/clipboard";
import { useDraft } from "../parts/draft";
import { toast, toastError } from "../parts/toast";
import { Changing } from "../shell/health";
import type { Color, Highlight } from "./highlights";
import "./highlights.css";
import { quoted, type Whole } from "./paper";
import { ColorButtons } from "./Selection";

const Markdown = lazy(() => import("../parts/Markdown"));

export interface Doing {
  edit: (one: Highlight, to: { color?: Color; note?: string }) => Promise<unknown>;
  remove: (one: Highlight) => Promise<unknown>;
}

interface Props extends Doing {
  paper: Whole;
  highlights: readonly Highlight[];
  /** The one that is looked at, and whether its note is being written. */
  chosen: string;
  isWriting: boolean;
  onChoose: (id: string, isWriting: boolean) => void;
  onGo: (one: Highlight) => void;
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
        {highlights.map((one) => (
          <One
            key={one.id}
            one={one}
            paper={paper}
            isChosen={one.id === chosen}
            isWriting={one.id === chosen && isWriting}
            onChoose={(isWriting) => onChoose(one.id, isWriting)}
            onGo={() => {
              onChoose(one.id, false);
              onGo(one);
            }}
            {...doing}
          />
        ))}
      </ul>
    </>
  );
}

interface OneProps extends Doing {
  one: Highlight;
  paper: Whole;
  isChosen: boolean;
  isWriting: boolean;
  onChoose: (isWriting: boolean) => void;
  onGo: () => void;
}

function One({ one, paper, isChosen, isWriting, onChoose, onGo, edit, remove }: OneProps) {
  const { t } = useWords();
  const held = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) held.current?.scrollIntoView?.({ block: "nearest" });
  }, [isChosen]);
  const copy = () => {
    const { text, html } = quoted(paper, one.quote, one.page);
    writeClipboard(text, html).then(() => toast(t("reader.copied")), toastError);
  };
  return (
    <li ref={held} className={`highlight ${one.color}`} aria-current={isChosen || undefined}>
      <Quote one={one} onGo={onGo} />
      {isWriting ? (
        <Writing one={one} onSave={(note) => edit(one, { note })} onDone={() => onChoose(false)} />
      ) : (
        <Note text={one.note} />
      )}
      {isChosen && !isWriting && (
        <div className="doing">
          <Changing>
            <ColorButtons chosen={one.color} onColor={(color) => void edit(one, { color }).catch(toastError)} />
            <button type="button" className="link" onClick={() => onChoose(true)}>
              <NotebookPen size={14} aria-hidden />
              {t(one.note ? "marks.note.edit" : "marks.note.write")}
            </button>
          </Changing>
          <button type="button" className="link" onClick={copy}>
            <Copy size={14} aria-hidden />
            {t("reader.copy")}
          </button>
          <Changing>
            <button type="button" className="link" onClick={() => void remove(one).catch(toastError)}>
              <Trash2 size={14} aria-hidden />
              {t("remove")}
            </button>
          </Changing>
        </div>
      )}
    </li>
  );
}

/** The words, which lead to where they are, and their page. */
export function Quote({ one, onGo, where }: { one: Highlight; onGo: () => void; where?: string }) {
  const { t } = useWords();
  return (
    <>
      <button type="button" className="quote" onClick={onGo}>
        <span className="hidden">{t(`marks.color.${one.color}`)}: </span>
        {one.quote}
      </button>
      <p className="muted where">
        {where ?? (one.page ? t("reader.page", { n: one.page }) : "")}
        {!one.found && <span className="badge warn">{t("marks.lost")}</span>}
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

function Writing({ one, onSave, onDone }: { one: Highlight; onSave: (note: string) => Promise<unknown>; onDone: () => void }) {
  const { t } = useWords();
  const { text, write, drop } = useDraft(`highlight.${one.id}`, one.note);
  const leave = () => {
    drop();
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === one.note) leave();
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
