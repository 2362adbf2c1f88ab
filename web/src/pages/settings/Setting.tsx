/** A setting: what it is called and means, its value, and a way back to the usual one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { type FormEvent, useState } from "react";
import { api, body } from "../../api/client";
import { type Key, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { Remedy } from "../../parts/Remedy";
import { toast, toastError } from "../../parts/toast";
import { useReadOnly } from "../../shell/health";
import { labelOf } from "./groups";
import { isChanged, isOfFile, refusal, replaceRows, type Row, sentence, parseValue } from "./rows";

export function Setting({ row }: { row: Row }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const isReadOnly = useReadOnly();
  const key = labelOf(row);
  const label = key ? t(key) : row.name;
  const set = useMutation({
    mutationFn: (value: string | number | boolean | null) =>
      body(api.PATCH("/api/v1/settings", { body: { settings: { [row.name]: value } } })),
    onSuccess: (answer) => {
      queries.setQueryData<typeof answer>(["settings"], (before) => before && { ...before, settings: replaceRows(before.settings, answer.settings) });
      toast(t("settings.saved", { name: label }));
    },
    onError: (error) => refusal(error) || toastError(error),
  });
  const refused = refusal(set.error);
  const means = sentence(translateText(t, row.doc));
  const isOpen = !row.fixed && !isReadOnly && isOfFile(row);
  return (
    <li>
      <div className="name">
        <strong id={row.name} className={key ? undefined : "code"}>
          {label}
        </strong>
        {key && <code>{row.name}</code>}
        {isChanged(row) && (
          <span className="badge warn" title={t("settings.from", { origin: row.origin })}>
            {t("settings.changed")}
          </span>
        )}
        {isOpen && isChanged(row) && (
          <button type="button" className="plain" aria-label={t("settings.reset", { name: label })} title={t("settings.reset", { name: label })} onClick={() => set.mutate(null)}>
            <RotateCcw size={16} aria-hidden />
          </button>
        )}
      </div>
      {isOpen ? <Value row={row} onSet={set.mutate} isBusy={set.isPending} wrong={refused ? `${row.name}.wrong` : undefined} /> : <code className="value">{String(row.value) || "–"}</code>}
      {refused && (
        <p className="wrong" role="alert" id={`${row.name}.wrong`}>
          {translateText(t, refused.message)} {!refused.hint.includes(row.doc) && <Remedy text={refused.hint} />}
        </p>
      )}
      <p className="muted">
        {means !== `${label}.` && <Remedy text={means} />}{" "}
        {isChanged(row) && <span className="from">{`${t("settings.from", { origin: row.origin })}. ${t("settings.default", { value: String(row.default) || "–" })}.`}</span>}
      </p>
      {row.fixed && <p className="muted">{translateText(t, row.fixed)}</p>}
      {row.ignored && <p className="muted">{t("settings.ignored", { file: row.ignored })}</p>}
    </li>
  );
}

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
  const ariaProps = { "aria-labelledby": row.name, "aria-invalid": !!wrong, "aria-describedby": wrong };
  const choices = typeof row.default === "boolean" ? ["true", "false"] : row.choices;
  if (choices.length)
    return (
      <select value={text} disabled={isBusy} {...ariaProps} onChange={(event) => onSet(parseValue(row, event.target.value))}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {typeof row.default === "boolean" ? t(`settings.${choice}` as Key) : choice || "–"}
          </option>
        ))}
      </select>
    );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSet(parseValue(row, text));
  };
  const isNumber = typeof row.default === "number";
  return (
    <form onSubmit={submit}>
      <input
        value={text}
        {...ariaProps}
        className={isNumber ? "number" : undefined}
        inputMode={isNumber ? "decimal" : undefined}
        title={row.type}
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
