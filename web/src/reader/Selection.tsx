/** What can be done with words that are selected in the reader. */
import { Copy, type LucideIcon, MessageCircleQuestion, NotebookPen, Waypoints } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { Paper } from "../api/types";
import { useWords } from "../i18n";
import { writeClipboard } from "../parts/clipboard";
import { IfWritable } from "../shell/health";
import { useKeys } from "../shell/keys";
import { type SelectedText, readSelection } from "./selectedText";
import { type Color, COLORS, type Wish } from "./highlights";
import "./highlights.css";
import type { Block } from "./lines";
import { formatQuote } from "./paper";

const LONGEST = 600;
/** How far the menu stays from what is selected, and from the edges; half of its width, and a row of it. */
const [GAP, HALF, ROW] = [8, 260, 44];

interface Props {
  paper: Paper;
  within: RefObject<HTMLElement | null>;
  blocks: readonly Block[];
  /** Mark it, or (`isNoted`) mark it and write a note on it. */
  onMark: (wish: Wish, isNoted?: boolean) => void;
}

export function Selection({ paper, within, blocks, onMark }: Props) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [chosen, choose] = useState<SelectedText | null>(null);
  const [isCopied, copied] = useState(false);
  useEffect(() => {
    let waiting = 0;
    const look = () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(() => {
        copied(false);
        choose(readSelection(within.current, blocks));
      }, 150);
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("scroll", look, true);
    return () => {
      clearTimeout(waiting);
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("scroll", look, true);
    };
  }, [within, blocks]);
  // what is copied by keys comes with its citation, too
  useEffect(() => {
    const give = (event: ClipboardEvent) => {
      const selected = event.clipboardData && readSelection(within.current, blocks);
      if (!selected) return;
      const { text, html } = formatQuote(paper, selected.text, selected.page);
      event.clipboardData!.setData("text/plain", text);
      event.clipboardData!.setData("text/html", html);
      event.preventDefault();
    };
    document.addEventListener("copy", give);
    return () => document.removeEventListener("copy", give);
  }, [paper, within, blocks]);
  const away = () => {
    document.getSelection()?.removeAllRanges();
    choose(null);
  };
  const mark = (color?: Color, isNoted?: boolean) => {
    if (!chosen) return;
    onMark({ quote: chosen.text, before: chosen.before, color }, isNoted);
    away();
  };
  useKeys(
    chosen
      ? [
          { keys: "Escape", does: "reader.deselect", run: away },
          { keys: "h", does: "marks.key", run: () => mark() },
        ]
      : [],
  );
  if (!chosen) return null;
  const to = (path: string, name: string) => {
    const after = new URLSearchParams({ [name]: chosen.text.slice(0, LONGEST) });
    for (const [key, value] of new URLSearchParams(search)) if (["read", "page", "span"].includes(key)) after.append(key, value);
    away();
    navigate(`${path}?${after}`);
  };
  const copy = async () => {
    const { text, html } = formatQuote(paper, chosen.text, chosen.page);
    await writeClipboard(text, html);
    copied(true);
  };
  return (
    <div className="selection" role="toolbar" aria-label={t("reader.selected")} style={placeOf(chosen.box)}>
      <IfWritable>
        <ColorButtons onColor={mark} />
        <Action icon={NotebookPen} name={t("marks.note.write")} label={t("marks.note")} onClick={() => mark(undefined, true)} />
      </IfWritable>
      <Action icon={Copy} name={t(isCopied ? "reader.copied" : "reader.copy")} label={t(isCopied ? "reader.copied" : "reader.copy.short")} onClick={copy} />
      <IfWritable>
        <Action icon={MessageCircleQuestion} name={t("reader.ask")} label={t("reader.ask.short")} onClick={() => to("/ask", "q")} />
      </IfWritable>
      <Action icon={Waypoints} name={t("reader.similar")} label={t("reader.similar.short")} onClick={() => to("/search", "text")} />
      <span className="hidden" role="status">
        {isCopied && t("reader.copied")}
      </span>
    </div>
  );
}

function Action({ icon: Icon, name, label, onClick }: { icon: LucideIcon; name: string; label: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} aria-label={name} title={name}>
      <Icon size={16} aria-hidden />
      {label}
    </button>
  );
}

/** The colours to mark something in; `chosen`: that it has. */
export function ColorButtons({ chosen, onColor }: { chosen?: Color; onColor: (color: Color) => void }) {
  const { t } = useWords();
  return (
    <span className="colors" role="group" aria-label={t("marks.colors")}>
      {COLORS.map((color) => (
        <button
          key={color}
          type="button"
          className={`color ${color}`}
          aria-label={t(chosen ? `marks.color.${color as "yellow"}` : `marks.in.${color as "yellow"}`)}
          title={t(`marks.color.${color as "yellow"}`)}
          aria-pressed={chosen && chosen === color}
          onClick={() => onColor(color)}
        />
      ))}
    </span>
  );
}

/** Above what is selected, or below it where there is no room; never beyond the edges. */
function placeOf({ left, width, top, bottom }: DOMRect) {
  const isNarrow = window.innerWidth < 2 * HALF + 2 * GAP;
  const height = isNarrow ? 2 * ROW : ROW;
  const above = top - height - GAP;
  const below = Math.min(bottom + GAP, window.innerHeight - height - GAP);
  const middle = Math.min(Math.max(left + width / 2, HALF + GAP), window.innerWidth - HALF - GAP);
  return { left: isNarrow ? GAP : middle - HALF, width: isNarrow ? window.innerWidth - 2 * GAP : undefined, top: above < GAP ? below : above };
}
