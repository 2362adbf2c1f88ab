/** Find words in the paper that is open. */
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import { useWords } from "../i18n";

interface Props {
  words: string;
  count: number;
  at: number;
  onWords: (words: string) => void;
  onStep: (by: number) => void;
  onClose: () => void;
}

export function Find({ words, count, at, onWords, onStep, onClose }: Props) {
  const { t } = useWords();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Escape") onClose();
    else onStep(event.shiftKey ? -1 : 1);
  };
  return (
    <div className="find" role="search" aria-label={t("reader.find")}>
      <input
        ref={field}
        type="search"
        value={words}
        placeholder={t("reader.find")}
        aria-label={t("reader.find_words")}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={pressed}
      />
      <span className="muted" role="status">
        {!words.trim() ? "" : count ? t("reader.found", { at: at + 1, n: count }) : t("reader.not_found")}
      </span>
      <button type="button" className="plain" disabled={!count} onClick={() => onStep(-1)} aria-label={t("reader.find_before")}>
        <ChevronUp size={18} aria-hidden />
      </button>
      <button type="button" className="plain" disabled={!count} onClick={() => onStep(1)} aria-label={t("reader.find_next")}>
        <ChevronDown size={18} aria-hidden />
      </button>
      <button type="button" className="plain" onClick={onClose} aria-label={t("reader.find_close")}>
        <X size={18} aria-hidden />
      </button>
    </div>
  );
}
