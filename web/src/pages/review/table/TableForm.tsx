/** Begins a table: its columns, and which papers are its rows. */
import { useState } from "react";
import { useWords } from "../../../i18n";
import type { FormProps } from "../Part";
import { Which, type WhichPapers } from "../Which";

export function TableForm({ isBusy, onBegin }: FormProps) {
  const { t } = useWords();
  const [columns, setColumns] = useState("");
  const [name, setName] = useState("");
  const [which, choose] = useState<WhichPapers>({});
  return (
    <form
      className="card asking"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ columns, name, ...which, limit: 0 });
      }}
    >
      <label className="above">
        {t("table.columns")}
        <textarea rows={4} value={columns} onChange={(event) => setColumns(event.target.value)} placeholder={t("table.columns.example")} aria-describedby="columns-hint" />
      </label>
      <p id="columns-hint" className="muted">
        {t("table.columns.hint")}
      </p>
      <label className="above">
        {t("reviews.name")}
        <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} placeholder={t("table.name.usual")} autoComplete="off" />
      </label>
      <Which which={which} onChange={choose} />
      <button type="submit" className="primary" disabled={isBusy || !columns.trim()}>
        {t("table.begin")}
      </button>
    </form>
  );
}
