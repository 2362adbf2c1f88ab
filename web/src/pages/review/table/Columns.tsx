/** What can be done with a column, and how columns are added. */
import { ArrowDown, ArrowUp, Flag, Plus, RefreshCw } from "lucide-react";
import { type FormEvent, useState } from "react";
import type { TableColumn } from "../../../api/types";
import { useWords } from "../../../i18n";
import { Dialog } from "../../../parts/Dialog";
import { useParams } from "../../../parts/params";
import { toastError } from "../../../parts/toast";
import { IfWritable } from "../../../shell/health";
import { pathOf, useBegin } from "../reviews";

export function AddColumns({ id }: { id: string }) {
  const { t } = useWords();
  const [isOpen, open] = useState(false);
  const [columns, type] = useState("");
  const start = useBegin();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const done = () => (open(false), type(""));
    start.mutate({ path: pathOf("table", id, "/columns"), body: { columns, limit: 0 } }, { onError: toastError, onSuccess: done });
  };
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        <Plus size={16} aria-hidden />
        {t("table.add")}
      </button>
      <Dialog isOpen={isOpen} title={t("table.add")} onClose={() => open(false)}>
        <form className="asking" onSubmit={submit}>
          <label className="above">
            {t("table.columns")}
            <textarea rows={3} value={columns} onChange={(event) => type(event.target.value)} placeholder={t("table.columns.example")} />
          </label>
          <p className="muted">{t("table.columns.hint")}</p>
          <button type="submit" className="primary" disabled={start.isPending || !columns.trim()}>
            {t("table.add")}
          </button>
        </form>
      </Dialog>
    </>
  );
}

interface Props {
  id: string;
  column: TableColumn;
  sort: string;
  onClose: () => void;
}

export function ColumnDialog({ id, column: { name }, sort, onClose }: Props) {
  const { t } = useWords();
  const [params, change] = useParams();
  const start = useBegin();
  const order = (to: string) => (change({ sort: to, offset: null }, true), onClose());
  const unconfirmed = `${name} is unconfirmed`;
  const only = () => (change({ where: [...new Set([...params.getAll("where"), unconfirmed])], offset: null }, true), onClose());
  const rerun = () => start.mutate({ path: pathOf("table", id, "/rerun"), body: { column: [name], limit: 0 } }, { onError: toastError, onSuccess: onClose });
  return (
    <Dialog isOpen title={name} onClose={onClose}>
      <div className="choices">
        <button type="button" aria-pressed={sort === name} onClick={() => order(name)}>
          <ArrowUp size={16} aria-hidden /> {t("table.up")}
        </button>
        <button type="button" aria-pressed={sort === `-${name}`} onClick={() => order(`-${name}`)}>
          <ArrowDown size={16} aria-hidden /> {t("table.down")}
        </button>
        <button type="button" onClick={only}>
          <Flag size={16} aria-hidden /> {t("table.only_unconfirmed")}
        </button>
        <IfWritable>
          <button type="button" disabled={start.isPending} onClick={rerun}>
            <RefreshCw size={16} aria-hidden /> {t("table.again.column")}
          </button>
        </IfWritable>
      </div>
    </Dialog>
  );
}
