/** What others are to be like: papers, or a text that somebody has. */
import { useQueries } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";
import { api, body } from "../../api/client";
import type { Paper } from "../../api/types";
import { useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import type { Values } from "../../parts/params";
import { titleOf } from "../../parts/PaperLine";
import type { SearchState } from "./searchState";

export function Likeness({ search, onChange }: { search: SearchState; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const papers = useQueries({
    queries: search.like.map((name) => ({
      queryKey: ["paper", name],
      queryFn: async () => (await body(api.GET("/api/v1/papers/{paper}", { params: { path: { paper: name } } }))).paper as Paper,
    })),
  });
  return (
    <div className="holding likeness">
      <span className="muted">{t("search.like")}</span>
      {search.like.map((name, at) => {
        const paper = papers[at]?.data;
        const title = paper ? titleOf(paper) : name;
        const drop = () => onChange({ like: search.like.filter((other) => other !== name) });
        return (
          <button key={name} type="button" className="chip" onClick={drop} aria-label={t("search.without", { what: title })}>
            <span>{title}</span>
            <X size={13} aria-hidden />
          </button>
        );
      })}
      {search.text && (
        <button type="button" className="chip" onClick={() => onChange({ text: null })} aria-label={t("search.without", { what: search.text.slice(0, 60) })}>
          <span>“{search.text}”</span>
          <X size={13} aria-hidden />
        </button>
      )}
    </div>
  );
}

/** Text longer than an address may be is cut; a vector is made of about its first 250 words anyway. */
const MOST = 3000;

export function SimilarTextDialog({ isOpen, onClose, onTake }: { isOpen: boolean; onClose: () => void; onTake: (text: string) => void }) {
  const { t } = useWords();
  const [text, type] = useState("");
  const take = () => text.trim() && onTake(text.trim().slice(0, MOST));
  const actions = (
    <button type="button" className="primary" disabled={!text.trim()} onClick={take}>
      {t("search.similar")}
    </button>
  );
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t("search.like.text")} actions={actions}>
      <label className="above">
        <span className="muted">{t("search.like.how")}</span>
        <textarea rows={8} maxLength={MOST} value={text} onChange={(event) => type(event.target.value)} />
      </label>
    </Dialog>
  );
}
