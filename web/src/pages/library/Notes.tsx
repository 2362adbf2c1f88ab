/** The notes about a paper. What is written stays until it is saved or dropped, whatever is closed meanwhile. */
import { type FormEvent, lazy, Suspense, useRef, useState } from "react";
import type { Note } from "../../api/types";
import { day, useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { draftOf, dropDraft, useDraft } from "../../parts/draft";
import { keep, useCurationChange } from "../../parts/curation";
import { IfWritable, useReadOnly } from "../../shell/health";

const Markdown = lazy(() => import("../../parts/Markdown"));
const NOTE_LIMIT = 300;

export function Notes({ paper, notes }: { paper: string; notes: readonly Note[] }) {
  const { t } = useWords();
  return (
    <section className="kept" aria-label={t("library.notes")}>
      <h3>{t("library.notes")}</h3>
      {notes.map((note) => (
        <NoteItem key={note.id} note={note} />
      ))}
      <IfWritable>
        <NoteForm of={`note.${paper}`} label={t("library.note.new")} onSave={(text) => keep.note(paper, text)} />
      </IfWritable>
    </section>
  );
}

function NoteItem({ note }: { note: Note }) {
  const { t } = useWords();
  const keeping = useCurationChange();
  const of = `note.${note.id}`;
  const isReadOnly = useReadOnly();
  const [edited, edit] = useState<"" | "kept" | "pressed">(() => (draftOf(of) === null ? "" : "kept"));
  const opener = useRef<HTMLButtonElement>(null);
  const done = () => {
    edit("");
    setTimeout(() => opener.current?.focus());
  };
  const remove = async () => {
    const text = note.text.length > NOTE_LIMIT ? `${note.text.slice(0, NOTE_LIMIT)} …` : note.text;
    if (!(await confirm({ title: t("library.note.remove"), text, action: t("remove"), isDanger: true }))) return;
    keeping.mutate(() => keep.forget(note.id), { onSuccess: () => dropDraft(of) });
  };
  const read = (
    <>
      <Suspense fallback={<p>{note.text}</p>}>
        <Markdown text={note.text} />
      </Suspense>
      <footer>
        <time className="muted" dateTime={note.updated}>
          {day(note.updated)}
        </time>
        <IfWritable>
          <button type="button" className="link" ref={opener} onClick={() => edit("pressed")}>
            {t("edit")}
          </button>
          <button type="button" className="link" onClick={remove}>
            {t("remove")}
          </button>
        </IfWritable>
      </footer>
    </>
  );
  return (
    <article className="note">
      {edited && !isReadOnly ? (
        <NoteForm
          of={of}
          saved={note.text}
          label={t("library.note.edit")}
          isFocused={edited === "pressed"}
          onSave={(text) => keep.rewrite(note.id, text)}
          onDone={done}
        />
      ) : (
        read
      )}
    </article>
  );
}

interface NoteFormProps {
  of: string;
  saved?: string;
  label: string;
  isFocused?: boolean;
  onSave: (text: string) => Promise<unknown>;
  /** When it is saved or dropped. */
  onDone?: () => void;
}

function NoteForm({ of, saved = "", label, isFocused, onSave, onDone }: NoteFormProps) {
  const { t } = useWords();
  const keeping = useCurationChange();
  const { text, isDraft, write, drop } = useDraft(of, saved);
  const leave = () => {
    drop();
    onDone?.();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) keeping.mutate(() => onSave(text.trim()), { onSuccess: leave });
  };
  return (
    <form onSubmit={submit}>
      <textarea
        rows={3}
        value={text}
        maxLength={20000}
        placeholder={label}
        aria-label={label}
        // eslint-disable-next-line jsx-a11y/no-autofocus -- where "Edit" was pressed
        autoFocus={isFocused}
        onChange={(event) => write(event.target.value)}
      />
      <div className="doing">
        <button type="submit" disabled={!text.trim() || keeping.isPending}>
          {t("save")}
        </button>
        {(isDraft || onDone) && (
          <button type="button" onClick={leave}>
            {t(isDraft ? "draft.drop" : "cancel")}
          </button>
        )}
        {isDraft && <span className="muted">{t("draft.kept")}</span>}
      </div>
    </form>
  );
}
