/** Papers of the map as a list, and what can be done with them. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { MapText } from "../../api/types";
import { useWords } from "../../i18n";
import { AskThese } from "../../parts/AskThese";
import { ExportMenu } from "../../parts/ExportMenu";
import { Loading } from "../../parts/Loading";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { passagesOf } from "../../reader/paperMentions";
import { MOST, type TextKind, fetchTexts, useTexts } from "./queries";

const PAGE = 30;

interface Props {
  of: TextKind;
  state: string;
  rows: readonly number[];
  /** What they are called together, where they are asked. */
  name: string;
  onPoint?: (row: number) => void;
}

export function Texts({ of, state, rows, name, onPoint }: Props) {
  const { t } = useWords();
  const [limit, show] = useState(PAGE);
  const textsQuery = useTexts(of, state, rows.slice(0, limit));
  if (textsQuery.error) return <Trouble error={textsQuery.error} onRetry={textsQuery.refetch} />;
  if (!rows.length) return <p className="muted">{t("map.chosen.none")}</p>;
  if (!textsQuery.data) return <Loading />;
  return (
    <>
      <TextActions of={of} state={state} rows={rows} name={name} />
      <ol className="texts" aria-label={name}>
        {textsQuery.data.map((text) => (
          <TextLine key={text.row} text={text} onPoint={onPoint} />
        ))}
      </ol>
      {limit < rows.length && (
        <button type="button" className="further" onClick={() => show(limit + 2 * PAGE)}>
          {t("map.more", { n: rows.length - limit })}
        </button>
      )}
    </>
  );
}

/** Open a paper, a passage's at its sentences. */
export function useOpenText() {
  const { open } = useReading();
  const queries = useQueryClient();
  return useCallback(
    ({ paper, unit }: Pick<MapText, "paper" | "unit">) => {
      if (!unit) return open({ paper });
      queries.fetchQuery(passagesOf(paper)).then(({ passages }) => {
        const spans = passages.find((passage) => passage.id === unit)?.spans ?? [];
        open({ paper, page: spans[0]?.places?.[0]?.page, spans: spans.map((span) => span.id) });
      }, toastError);
    },
    [open, queries],
  );
}

interface LineProps {
  text: Pick<MapText, "row" | "paper" | "unit" | "title" | "byline" | "year">;
  onPoint?: (row: number) => void;
}

export function TextLine({ text, onPoint }: LineProps) {
  const open = useOpenText();
  return (
    <li onPointerEnter={() => onPoint?.(text.row)}>
      <button type="button" className="link" onClick={() => open(text)} onFocus={() => onPoint?.(text.row)}>
        {text.title || text.paper}
      </button>
      <span className="muted">{[text.byline, text.year].filter(Boolean).join(" · ")}</span>
    </li>
  );
}

const once = (texts: readonly MapText[] = []) => [...new Set(texts.map((text) => text.paper))];

/** The papers of all of them, each once, to be asked, searched and exported. */
function TextActions({ of, state, rows, name }: Props) {
  const queries = useQueryClient();
  const isMany = rows.length > MOST;
  const all = useTexts(of, state, isMany ? [] : rows);
  const few = once(all.isPlaceholderData ? [] : all.data);
  if (!isMany && !few.length) return null;
  const papers = isMany ? async () => once(await fetchTexts(queries, of, state, rows)) : few;
  return (
    <div className="doing">
      <AskThese papers={papers} name={name.slice(0, 60)} />
      <AskThese papers={papers} name={name.slice(0, 60)} to="search" />
      <ExportMenu papers={papers} />
    </div>
  );
}
