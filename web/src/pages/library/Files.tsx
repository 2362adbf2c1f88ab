/** The ledger: what became of each file; those that failed with their reason, and another try. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { FileCheck2, RotateCw, Trash2 } from "lucide-react";
import { useRef } from "react";
import { get, send } from "../../api/call";
import { address } from "../../api/client";
import { begin } from "../../api/jobs";
import type { LedgerRow } from "../../api/types";
import { day, type Key, useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Remedy } from "../../parts/Remedy";
import { toast, toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable, useReadOnly } from "../../shell/health";
import { watch } from "../../parts/uploads";

const nameOf = ({ path }: LedgerRow) => path.split("/").at(-1) ?? path;
const LOOKS: Record<string, string> = { failed: "bad", missing: "warn", stale: "warn", queued: "warn", indexed: "good", unchanged: "good" };

/** Read files again; `name`: as it is shown what becomes of them. */
const retry = (name: string, which = "") =>
  void begin(`/files/retry${which && `?${which}`}`)
    .then((job) => watch(job, name))
    .catch(toastError);

/** Forget a file, after a question: what was not read holds no paper, and only adding it again brings it back. */
export function useForget() {
  const { t } = useWords();
  const queries = useQueryClient();
  return async (row: LedgerRow) => {
    const wish = { title: t("library.forget.title", { name: nameOf(row) }), text: t("library.forget.text"), action: t("library.forget"), isDanger: true };
    if (!(await confirm(wish))) return;
    try {
      await send("DELETE", `/files?${new URLSearchParams({ path: row.path })}`);
      await queries.invalidateQueries();
      toast(t("library.forgotten", { name: nameOf(row) }));
    } catch (error) {
      toastError(error as Error);
    }
  };
}

const useFiles = (failed: boolean, enabled = true) =>
  useQuery({
    queryKey: ["files", failed],
    queryFn: async ({ signal }) => {
      const status = await get<{ files: LedgerRow[] }>(address("/status", { failed }), signal);
      return status.files.toSorted((row, other) => (row.updated < other.updated ? 1 : -1));
    },
    enabled,
  });

export function Files() {
  const { t } = useWords();
  const [params, change] = useParams();
  const troubles = useFiles(true);
  const isAll = params.has("all") || troubles.data?.length === 0; // without problems there is nothing to narrow them to
  const all = useFiles(false, isAll);
  const files = isAll ? all : troubles;
  if (files.error) return <Trouble error={files.error} onRetry={files.refetch} />;
  if (!files.data) return <Loading as="rows" />;
  const failed = files.data.filter((file) => file.state === "failed");
  return (
    <section className="view" aria-label={t("library.files")}>
      <div className="tools">
        {!!troubles.data?.length && (
          <label>
            <input type="checkbox" checked={!isAll} onChange={() => change({ all: !isAll })} />
            <span>{t("library.files.trouble")}</span>
          </label>
        )}
        <span className="muted" role="status">
          {files.data.length > 0 && [t("library.files.number", { n: files.data.length }), !troubles.data?.length && t("library.files.well")].filter(Boolean).join(" · ")}
        </span>
        {failed.length > 0 && (
          <IfWritable>
            <button type="button" onClick={() => retry(t("library.retry"))} disabled={!failed.some((file) => file.retry)} title={t("library.retry.why")}>
              <RotateCw size={15} aria-hidden />
              {t("library.retry")}
            </button>
            <button type="button" onClick={() => retry(t("library.retry"), "everything=true")}>
              {t("library.retry.all")}
            </button>
          </IfWritable>
        )}
      </div>
      {files.data.length ? (
        <Rows rows={files.data} />
      ) : (
        <Empty icon={FileCheck2} title={t("library.files.empty")}>
          <p>{t("library.empty.how")}</p>
        </Empty>
      )}
    </section>
  );
}

function Rows({ rows }: { rows: readonly LedgerRow[] }) {
  const { t } = useWords();
  const isReadOnly = useReadOnly();
  const forget = useForget();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: rows.length, getScrollElement: () => scroller.current, estimateSize: () => 56, overscan: 6 });
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keys
    <div className="ledger" role="list" aria-label={t("library.files")} ref={scroller} tabIndex={0}>
      <div style={{ blockSize: virtual.getTotalSize(), position: "relative" }} role="presentation">
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]!;
          return (
            <div
              key={item.key}
              role="listitem"
              aria-posinset={item.index + 1}
              aria-setsize={rows.length}
              ref={virtual.measureElement}
              data-index={item.index}
              className="file"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <span className={`badge ${LOOKS[row.state] ?? ""}`}>{t(`library.state.${row.state}` as Key)}</span>
              <div>
                <span title={row.path}>{nameOf(row)}</span>
                {row.reason && (
                  <p>
                    <Remedy text={row.reason} />
                  </p>
                )}
                {row.notes.map((note) => (
                  <p key={note} className="muted">
                    <Remedy text={note} />
                  </p>
                ))}
              </div>
              <span className="muted">{t("search.found", { n: row.papers })}</span>
              <time className="muted" dateTime={row.updated}>
                {row.updated && day(row.updated)}
              </time>
              {row.state === "failed" && !isReadOnly && (
                <span className="doing">
                  <button
                    type="button"
                    className="plain"
                    aria-label={t("library.retry.one", { name: nameOf(row) })}
                    title={t("again")}
                    onClick={() => retry(nameOf(row), String(new URLSearchParams({ path: row.path })))}
                  >
                    <RotateCw size={15} aria-hidden />
                  </button>
                  <button type="button" className="plain" aria-label={t("library.forget.one", { name: nameOf(row) })} title={t("library.forget")} onClick={() => void forget(row)}>
                    <Trash2 size={15} aria-hidden />
                  </button>
                </span>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
