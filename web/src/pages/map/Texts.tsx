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
import { passagesOf } from "../../reader/spoken";
import { MOST, type Of, textsAt, useTexts } from "./asking";

const PAGE = 30;

interface Props {
  of: Of;
  state: string;
  rows: readonly number[];
  /** What they are called together, where they are asked. */
  name: string;
  onPoint?: (row: number) => void;
}

export function Texts({ of, state, rows, name, onPoint }: Props) {
  const { t } = useWords();
  const [shown, show] = useState(PAGE);
  const found = useTexts(of, state, rows.slice(0, shown));
  if (found.error) return <Trouble error={found.error} onRetry={found.refetch} />;
  if (!rows.length) return <p className="muted">{t("map.chosen.none")}</p>;
  if (!found.data) return <Loading />;
  return (
    <>
      <Doing of={of} state={state} rows={rows} name={name} />
      <ol className="texts" aria-label={name}>
        {found.data.map((one) => (
          <TextLine key={one.row} one={one} onPoint={onPoint} />
        ))}
      </ol>
      {shown < rows.length && (
        <button type="button" className="further" onClick={() => show(shown + 2 * PAGE)}>
          {t("map.more", { n: rows.length - shown })}
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
        const spans = passages.find((one) => one.id === unit)?.spans ?? [];
        open({ paper, page: spans[0]?.places?.[0]?.page, spans: spans.map((span) => span.id) });
      }, toastError);
    },
    [open, queries],
  );
}

interface LineProps {
  one: Pick<MapText, "row" | "paper" | "unit" | "title" | "byline" | "year">;
  onPoint?: (row: number) => void;
}

export function TextLine({ one, onPoint }: LineProps) {
  const open = useOpenText();
  return (
    <li onPointerEnter={() => onPoint?.(one.row)}>
      <button type="button" className="link" onClick={() => open(one)} onFocus={() => onPoint?.(one.row)}>
        {one.title || one.paper}
      </button>
      <span className="muted">{[one.byline, one.year].filter(Boolean).join(" · ")}</span>
    </li>
  );
}

const once = (texts: readonly MapText[] = []) => [...new Set(texts.map((one) => one.paper))];

/** The papers of all of them, each once, to be asked, searched and exported. */
function Doing({ of, state, rows, name }: Props) {
  const queries = useQueryClient();
  const isMany = rows.length > MOST;
  const all = useTexts(of, state, isMany ? [] : rows);
  const few = once(all.isPlaceholderData ? [] : all.data);
  if (!isMany && !few.length) return null;
  const papers = isMany ? async () => once(await textsAt(queries, of, state, rows)) : few;
  return (
    <div className="doing">
      <AskThese papers={papers} name={name.slice(0, 60)} />
      <AskThese papers={papers} name={name.slice(0, 60)} to="search" />
      <ExportMenu papers={papers} />
    </div>
  );
}
