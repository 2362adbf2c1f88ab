/** A table of papers by columns: sorted, filtered, added to, saved; each cell opens its sentence. */
import { Download, ListRestart, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { address, reach } from "../../../api/client";
import type { StoredReview, ReviewTable } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Loading } from "../../../parts/Loading";
import { Menu } from "../../../parts/Menu";
import { useParams } from "../../../parts/params";
import { save } from "../../../parts/save";
import { toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { IfWritable } from "../../../shell/health";
import { pathOf, useBegin } from "../reviews";
import { AddColumns } from "./Columns";
import { Grid } from "./Grid";
import { columnsText, requestOf, ROWS, useTable } from "./rows";

export function TableView({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const [params, change] = useParams();
  const request = requestOf(params);
  const table = useTable(review.id, request);
  const { data } = table;
  return (
    <>
      <div className="tools">
        <Conditions where={request.where} onWhere={(where) => change({ where, offset: null }, true)} />
        <IfWritable>
          <AddColumns id={review.id} />
          {data && <Rest table={data} />}
        </IfWritable>
        <Save review={review} />
      </div>
      {table.error && <Trouble error={table.error} onRetry={table.refetch} />}
      {table.isLoading && <Loading as="rows" />}
      {data && !table.error && (
        <>
          <p role="status" className="muted">
            {data.total === data.papers ? t("reviews.papers", { n: data.papers }) : t("table.some", { n: data.total, all: data.papers })}
          </p>
          <Grid id={review.id} table={data} sort={request.sort} isOld={table.isPlaceholderData} />
          {data.total > ROWS && <PageTurner table={data} onTurn={(offset) => change({ offset })} />}
        </>
      )}
    </>
  );
}

function PageTurner({ table: { offset, total, rows }, onTurn }: { table: ReviewTable; onTurn: (offset: number) => void }) {
  const { t } = useWords();
  return (
    <div className="tools turning">
      <button type="button" disabled={!offset} onClick={() => onTurn(Math.max(0, offset - ROWS))}>
        {t("reviews.before")}
      </button>
      <span className="muted">{t("reviews.from_to", { from: offset + 1, to: offset + rows.length, n: total })}</span>
      <button type="button" disabled={offset + ROWS >= total} onClick={() => onTurn(offset + ROWS)}>
        {t("reviews.next")}
      </button>
    </div>
  );
}

/** Conditions on cells: `dose > 5 mg`; each can be taken away. */
function Conditions({ where, onWhere }: { where: string[]; onWhere: (where: string[]) => void }) {
  const { t } = useWords();
  const [typed, type] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!typed.trim()) return;
    onWhere([...new Set([...where, typed.trim()])]);
    type("");
  };
  return (
    <form className="conditions" onSubmit={submit}>
      <input type="search" value={typed} onChange={(event) => type(event.target.value)} aria-label={t("table.where")} placeholder={t("table.where.example")} autoComplete="off" />
      <button type="submit">{t("table.filter")}</button>
      {where.map((condition) => (
        <button key={condition} type="button" className="chip" onClick={() => onWhere(where.filter((other) => other !== condition))} aria-label={t("table.where.remove", { what: condition })}>
          {condition} <X size={13} aria-hidden />
        </button>
      ))}
    </form>
  );
}

/** Read what an earlier run did not come to. */
function Rest({ table: { id, columns } }: { table: ReviewTable }) {
  const { t } = useWords();
  const start = useBegin();
  const body = { columns: columnsText(columns), limit: 0 };
  return (
    <button type="button" disabled={start.isPending} onClick={() => start.mutate({ path: pathOf("table", id, "/columns"), body }, { onError: toastError })}>
      <ListRestart size={16} aria-hidden />
      {t("table.rest")}
    </button>
  );
}

const FORMATS = { csv: "CSV", xlsx: "Excel", html: "HTML", md: "Markdown" } as const;

/** All rows that pass the filters, as a file. */
function Save({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const { sort, where } = requestOf(useParams()[0]);
  const fileOf = async (to: string) => (await reach(address(pathOf("table", review.id, "/file"), { sort, where, to }))).blob();
  return (
    <Menu name={t("export")} icon={Download}>
      {Object.entries(FORMATS).map(([to, name]) => (
        <button key={to} type="button" onClick={() => void fileOf(to).then((file) => save(`${review.name}.${to}`, file), toastError)}>
          {name}
        </button>
      ))}
    </Menu>
  );
}
