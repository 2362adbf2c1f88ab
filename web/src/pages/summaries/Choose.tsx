/** Which papers are to be summarised: all with full text, or some. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { api, body } from "../../api/client";
import type { Paper } from "../../api/types";
import { useWords } from "../../i18n";
import { byline, titleOf } from "../../parts/PaperLine";

export interface Wish {
  papers: string[];
  again: boolean;
  abstracts: boolean;
}

interface Props {
  /** Chosen elsewhere, as in the library: ids. */
  chosen: string[];
  isBusy: boolean;
  onBegin: (wish: Wish) => void;
}

const LIST_LIMIT = 30;

export function Choose({ chosen, isBusy, onBegin }: Props) {
  const { t } = useWords();
  const [isAll, setAll] = useState(!chosen.length);
  const [papers, set] = useState<readonly string[]>(chosen);
  const [again, setAgain] = useState(false);
  const [abstracts, setAbstracts] = useState(false);
  return (
    <form
      className="card choose"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ papers: isAll ? [] : [...papers], again, abstracts });
      }}
    >
      <fieldset>
        <legend>{t("summaries.which")}</legend>
        <label>
          <input type="radio" name="which" checked={isAll} onChange={() => setAll(true)} /> {t("summaries.all")}
        </label>
        <label>
          <input type="radio" name="which" checked={!isAll} onChange={() => setAll(false)} /> {t("summaries.some")}{" "}
          {!isAll && <span className="muted">{t("summaries.chosen", { n: papers.length })}</span>}
        </label>
      </fieldset>
      {!isAll && <Picker papers={papers} onChange={set} />}
      <fieldset>
        <label>
          <input type="checkbox" checked={abstracts} onChange={(event) => setAbstracts(event.target.checked)} />{" "}
          {t("summaries.abstracts")}
        </label>
        <label>
          <input type="checkbox" checked={again} onChange={(event) => setAgain(event.target.checked)} /> {t("summaries.again")}
        </label>
      </fieldset>
      <button type="submit" className="primary" disabled={isBusy || (!isAll && !papers.length)}>
        {t("summaries.begin")}
      </button>
    </form>
  );
}

function Picker({ papers, onChange }: { papers: readonly string[]; onChange: (papers: string[]) => void }) {
  const { t } = useWords();
  const [words, set] = useState("");
  const query = useDeferredValue(words);
  const { data } = useQuery({
    queryKey: ["papers", "choose", query],
    queryFn: () => body(api.GET("/api/v1/papers", { params: { query: { q: query, limit: LIST_LIMIT } } })),
    placeholderData: (before) => before,
  });
  const toggle = (id: string, isChosen: boolean) => onChange(isChosen ? [...papers, id] : papers.filter((paper) => paper !== id));
  return (
    <div className="picker">
      <input
        type="search"
        value={words}
        onChange={(event) => set(event.target.value)}
        placeholder={t("summaries.find")}
        aria-label={t("summaries.find")}
      />
      <ul>
        {((data?.papers ?? []) as Paper[]).map((paper) => (
          <li key={paper.id}>
            <label>
              <input
                type="checkbox"
                checked={papers.includes(paper.id)}
                onChange={(event) => toggle(paper.id, event.target.checked)}
              />
              <span>
                {titleOf(paper)} <small className="muted">{[byline(paper), paper.year].filter(Boolean).join(" · ")}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}
