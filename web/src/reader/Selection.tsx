/** What can be done with words that are selected in the reader. */
import { Copy, MessageCircleQuestion, Waypoints } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import type { Paper } from "../api/types";
import { useWords } from "../i18n";
import { writeClipboard } from "../parts/clipboard";
import { Changing } from "../shell/health";
import { useKeys } from "../shell/keys";
import { citationOf } from "./paper";

interface Chosen {
  text: string;
  page?: number;
  left: number;
  top: number;
}

const LEAST = 3;
const LONGEST = 600;
/** The menu's own height, and how far it stays from the edges. */
const HEIGHT = 44;
const EDGE = 150;

function chosenIn(within: HTMLElement | null): Chosen | null {
  const selection = document.getSelection();
  const text = selection?.toString().replace(/\s+/g, " ").trim() ?? "";
  if (!within || !selection?.rangeCount || text.length < LEAST || !within.contains(selection.anchorNode)) return null;
  const box = selection.getRangeAt(0).getBoundingClientRect();
  const page = Number(selection.anchorNode?.parentElement?.closest<HTMLElement>("[data-page]")?.dataset.page) || undefined;
  const middle = Math.min(Math.max(box.left + box.width / 2, EDGE), window.innerWidth - EDGE);
  const top = box.top - HEIGHT < 8 ? Math.min(box.bottom + 8, window.innerHeight - HEIGHT - 8) : box.top - HEIGHT;
  return { text, page, left: middle, top };
}

export function Selection({ paper, within }: { paper: Paper; within: RefObject<HTMLElement | null> }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  const search = useSearch();
  const [chosen, choose] = useState<Chosen | null>(null);
  const [isCopied, copied] = useState(false);
  useEffect(() => {
    let waiting = 0;
    const look = () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(() => {
        copied(false);
        choose(chosenIn(within.current));
      }, 150);
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("scroll", look, true);
    return () => {
      clearTimeout(waiting);
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("scroll", look, true);
    };
  }, [within]);
  const away = () => {
    document.getSelection()?.removeAllRanges();
    choose(null);
  };
  useKeys(chosen ? [{ keys: "Escape", does: "reader.deselect", run: away }] : []);
  if (!chosen) return null;
  const to = (path: string, name: string) => {
    const after = new URLSearchParams({ [name]: chosen.text.slice(0, LONGEST) });
    for (const [key, value] of new URLSearchParams(search)) if (["read", "page", "span"].includes(key)) after.append(key, value);
    away();
    navigate(`${path}?${after}`);
  };
  const copy = async () => {
    await writeClipboard(`“${chosen.text}” ${citationOf(paper, chosen.page)}`);
    copied(true);
  };
  return (
    <div className="selection" role="toolbar" aria-label={t("reader.selected")} style={{ left: chosen.left, top: chosen.top }}>
      <Changing>
        <button type="button" onClick={() => to("/ask", "q")}>
          <MessageCircleQuestion size={16} aria-hidden />
          {t("reader.ask")}
        </button>
      </Changing>
      <button type="button" onClick={() => to("/search", "text")}>
        <Waypoints size={16} aria-hidden />
        {t("reader.similar")}
      </button>
      <button type="button" onClick={copy}>
        <Copy size={16} aria-hidden />
        {t(isCopied ? "reader.copied" : "reader.copy")}
      </button>
      <span className="hidden" role="status">
        {isCopied && t("reader.copied")}
      </span>
    </div>
  );
}
