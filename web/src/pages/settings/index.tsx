/** Settings: each value, what it means and where it was set; models tried with one click. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api, body } from "../../api/client";
import { type Key, useWords } from "../../i18n";
import { translated } from "../../i18n/translated";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Coded, Remedy } from "../../parts/Remedy";
import { toast, toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { useReadOnly } from "../../shell/health";
import { fitting, groups, isChanged, isOfFile, refusal, replaced, type Row, typed } from "./rows";
import "./settings.css";
import { TryModels } from "./TryModels";

export default function SettingsPage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const words = params.get("q") ?? "";
  const settings = useQuery({ queryKey: ["settings"], queryFn: () => body(api.GET("/api/v1/settings")) });
  if (settings.error) return <Trouble error={settings.error} onRetry={settings.refetch} />;
  if (!settings.data) return <Loading />;
  const onlyChanged = params.get("changed") === "1";
  const found = fitting(settings.data.settings, words).filter((row) => !onlyChanged || isChanged(row));
  return (
    <div className="page settings">
      <h1>{t("page.settings")}</h1>
      <TryModels />
      <div className="filter">
        <input
          type="search"
          value={words}
          aria-label={t("settings.find")}
          placeholder={t("settings.find")}
          onChange={(event) => change({ q: event.target.value }, true)}
        />
        <label>
          <input
            type="checkbox"
            checked={onlyChanged}
            onChange={(event) => change({ changed: event.target.checked }, true)}
          />{" "}
          {t("settings.only_changed")}
        </label>
      </div>
      {!found.length && <p className="muted">{t("settings.none")}</p>}
      {groups(found).map(([group, rows]) => (
        <section key={group} className="card">
          <h2>{group}</h2>
          <ul>
            {rows.map((row) => (
              <One key={`${row.name}=${row.value}`} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function One({ row }: { row: Row }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const isReadOnly = useReadOnly();
  const set = useMutation({
    mutationFn: (value: string | number | boolean | null) =>
      body(api.PATCH("/api/v1/settings", { body: { settings: { [row.name]: value } } })),
    onSuccess: (made) => {
      queries.setQueryData<typeof made>(["settings"], (before) => before && { ...before, settings: replaced(before.settings, made.settings) });
      toast(t("settings.saved", { name: row.name }));
    },
    onError: (error) => refusal(error) || toastError(error),
  });
  const refused = refusal(set.error);
  const isOpen = !row.fixed && !isReadOnly && isOfFile(row);
  return (
    <li>
      <div className="name">
        <code id={row.name}>{row.name}</code>
        {isChanged(row) && <span className="badge warn">{t("settings.from", { origin: row.origin })}</span>}
        {isOpen && isChanged(row) && (
          <button type="button" className="plain" aria-label={t("settings.reset", { name: row.name })} onClick={() => set.mutate(null)}>
            <RotateCcw size={16} aria-hidden />
          </button>
        )}
      </div>
      {isOpen ? <Value row={row} onSet={set.mutate} isBusy={set.isPending} wrong={refused ? `${row.name}.wrong` : undefined} /> : <Shown row={row} />}
      {refused && (
        <p className="wrong" role="alert" id={`${row.name}.wrong`}>
          {translated(t, refused.message)} {!refused.hint.includes(row.doc) && <Remedy text={refused.hint} />}
        </p>
      )}
      <p className="muted">
        <Coded text={row.doc} /> <span className="kind">({row.type})</span>
      </p>
      {row.fixed && <p className="muted">{row.fixed}</p>}
      {row.ignored && <p className="muted">{t("settings.ignored", { file: row.ignored })}</p>}
    </li>
  );
}

const Shown = ({ row }: { row: Row }) => <code className="value">{String(row.value) || "–"}</code>;

interface ValueProps {
  row: Row;
  onSet: (value: string | number | boolean | null) => void;
  isBusy: boolean;
  /** The id of what says why it was not taken. */
  wrong?: string;
}

function Value({ row, onSet, isBusy, wrong }: ValueProps) {
  const { t } = useWords();
  const [text, change] = useState(String(row.value));
  const told = { "aria-labelledby": row.name, "aria-invalid": !!wrong, "aria-describedby": wrong };
  const choices = typeof row.default === "boolean" ? ["true", "false"] : row.choices;
  if (choices.length)
    return (
      <select value={text} disabled={isBusy} {...told} onChange={(event) => onSet(typed(row, event.target.value))}>
        {choices.map((one) => (
          <option key={one} value={one}>
            {typeof row.default === "boolean" ? t(`settings.${one}` as Key) : one || "–"}
          </option>
        ))}
      </select>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSet(typed(row, text));
  };
  return (
    <form onSubmit={submit}>
      <input
        value={text}
        {...told}
        inputMode={typeof row.default === "number" ? "decimal" : undefined}
        onChange={(event) => change(event.target.value)}
      />
      {text !== String(row.value) && (
        <button type="submit" className="primary" disabled={isBusy}>
          {t("settings.save")}
        </button>
      )}
    </form>
  );
}
