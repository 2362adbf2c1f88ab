/** Papers of the map as a list, and what can be done with them. */
import { useState } from "react";
import type { MapText } from "../../api/types";
import { number, useWords } from "../../i18n";
import { AskThese } from "../../parts/AskThese";
import { ExportMenu } from "../../parts/ExportMenu";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { MOST, type Of, useTexts } from "./asking";

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

export function TextLine({ one, onPoint }: { one: Pick<MapText, "row" | "paper" | "title" | "byline" | "year">; onPoint?: (row: number) => void }) {
  const { open } = useReading();
  return (
    <li onPointerEnter={() => onPoint?.(one.row)}>
      <button type="button" className="link" onClick={() => open({ paper: one.paper })} onFocus={() => onPoint?.(one.row)}>
        {one.title || one.paper}
      </button>
      <span className="muted">{[one.byline, one.year].filter(Boolean).join(" · ")}</span>
    </li>
  );
}

/** The papers of all of them, each once, to be asked, searched and exported. */
function Doing({ of, state, rows, name }: Props) {
  const { t } = useWords();
  const isMany = rows.length > MOST;
  const all = useTexts(of, state, isMany ? [] : rows);
  if (isMany) return <p className="muted">{t("map.chosen.many", { most: number(MOST) })}</p>;
  const papers = [...new Set(all.isPlaceholderData ? [] : all.data?.map((one) => one.paper))];
  if (!papers.length) return null;
  return (
    <div className="doing">
      <AskThese papers={papers} name={name.slice(0, 60)} />
      <AskThese papers={papers} name={name.slice(0, 60)} to="search" />
      <ExportMenu papers={papers} />
    </div>
  );
}
