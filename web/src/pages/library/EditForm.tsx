/** A paper's metadata by hand: what is written here goes before what its files say, also when they are read again. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { type FormEvent, useId } from "react";
import { send } from "../../api/call";
import { parseObject } from "../../api/client";
import type { Edit, Paper } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { useDraft } from "../../parts/draft";
import { Trouble } from "../../parts/Trouble";

export const FIELDS = ["title", "authors", "year", "venue", "doi", "arxiv_id", "pmid", "keywords", "citation_count", "abstract", "url"] as const;
export type Field = (typeof FIELDS)[number];
export type FieldTexts = Record<Field, string>;
const LONG = new Set<Field>(["title", "authors", "abstract"]);
const LISTS = new Set<Field>(["authors", "keywords"]);
const NUMBERS = new Set<Field>(["year", "citation_count"]);

/** What a paper says of itself, as it is written into the fields; lists are apart by `;`. */
export function toFieldTexts(paper: Paper): FieldTexts {
  const { authors = [], keywords = [], ...rest } = paper;
  const plain = rest as unknown as Record<string, string | number | null | undefined>;
  const lists = { authors: authors.map((author) => author.name).join("; "), keywords: keywords.join("; ") };
  return { ...(Object.fromEntries(FIELDS.map((name) => [name, String(plain[name] ?? "")])) as FieldTexts), ...lists };
}

/** The fields that are otherwise than before, as the server takes them; what is no number is left to it to refuse. */
export function collectChanges(before: FieldTexts, after: FieldTexts): Record<string, string | number | string[] | null> {
  const changed = FIELDS.filter((name) => before[name].trim() !== after[name].trim());
  const value = (name: Field) => {
    const text = after[name].trim();
    if (LISTS.has(name)) return text.split(";").map((part) => part.trim()).filter(Boolean);
    if (!NUMBERS.has(name)) return text;
    return text === "" ? null : /^-?\d+$/.test(text) ? Number(text) : text;
  };
  return Object.fromEntries(changed.map((name) => [name, value(name)]));
}

/** The fields that were written otherwise, as a draft keeps them; "" where none was. */
function formatDraft(before: FieldTexts, after: FieldTexts): string {
  const changed = FIELDS.filter((name) => before[name] !== after[name]);
  return changed.length ? JSON.stringify(Object.fromEntries(changed.map((name) => [name, after[name]]))) : "";
}

interface Props {
  paper: Paper;
  edits: readonly Edit[];
  onDone: () => void;
}

export function EditForm({ paper, edits, onDone }: Props) {
  const { t } = useWords();
  const queries = useQueryClient();
  const before = toFieldTexts(paper);
  const draft = useDraft(`edit.${paper.id}`);
  const after: FieldTexts = { ...before, ...parseObject<FieldTexts>(draft.text) };
  const leave = () => {
    draft.drop();
    onDone();
  };
  const id = useId();
  const saving = useMutation({
    mutationFn: (body: { set?: object; revert?: string[] }) => send("PATCH", `/papers/${encodeURIComponent(paper.id)}`, body),
    onSuccess: async () => {
      await queries.invalidateQueries();
      leave();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const set = collectChanges(before, after);
    if (Object.keys(set).length) saving.mutate({ set });
    else leave();
  };
  return (
    <form className="editing" onSubmit={submit}>
      {FIELDS.map((name) => {
        const edit = edits.find((fieldEdit) => fieldEdit.field === name);
        const inputProps = { id: `${id}${name}`, value: after[name], "aria-describedby": edit ? `${id}${name}say` : undefined };
        const change = (value: string) => draft.write(formatDraft(before, { ...after, [name]: value }));
        return (
          <div key={name} className="field">
            <label htmlFor={inputProps.id}>{t(`library.field.${name}` as Key)}</label>
            {LONG.has(name) ? (
              <textarea {...inputProps} rows={name === "abstract" ? 6 : 2} onChange={(event) => change(event.target.value)} />
            ) : (
              <input {...inputProps} inputMode={NUMBERS.has(name) ? "numeric" : undefined} onChange={(event) => change(event.target.value)} />
            )}
            {edit && (
              <p id={`${id}${name}say`} className="muted">
                {t("library.files.say", { value: String(edit.files_say ?? "") || t("library.nothing") })}{" "}
                <button type="button" className="link" onClick={() => saving.mutate({ revert: [name] })}>
                  <RotateCcw size={14} aria-hidden />
                  {t("library.revert")}
                </button>
              </p>
            )}
          </div>
        );
      })}
      <p className="muted">{t("library.edit.how")}</p>
      {saving.error && <Trouble error={saving.error} />}
      <div className="doing">
        <button type="submit" className="primary" disabled={saving.isPending}>
          {t("save")}
        </button>
        <button type="button" onClick={leave}>
          {t(draft.isDraft ? "draft.drop" : "cancel")}
        </button>
        {draft.isDraft && <span className="muted">{t("draft.kept")}</span>}
      </div>
    </form>
  );
}
