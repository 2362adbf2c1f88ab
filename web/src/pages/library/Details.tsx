/** A paper's details: what it is, and what is kept about it. */
import { useQuery } from "@tanstack/react-query";
import { BookOpen, Pencil, Radar, Trash2, X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { api, body } from "../../api/client";
import type { PaperCuration, Paper } from "../../api/types";
import { number, useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { CiteMenu } from "../../parts/CiteMenu";
import { ExportMenu } from "../../parts/ExportMenu";
import { Loading } from "../../parts/Loading";
import { titleOf } from "../../parts/PaperLine";
import { StatusBadge } from "../../parts/StatusBadge";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { keep, useCollections, useCurationChange, useCuration, useTags } from "../../parts/curation";
import { IfWritable } from "../../shell/health";
import { EditForm } from "./EditForm";
import { Notes } from "./Notes";

interface Props {
  id: string;
  onClose: () => void;
  onRemove: (id: string) => void;
}

export function Details({ id, onClose, onRemove }: Props) {
  const { t } = useWords();
  const { open } = useReading();
  const [, navigate] = useLocation();
  const paper = useQuery({
    queryKey: ["paper", id],
    queryFn: async () => (await body(api.GET("/api/v1/papers/{paper}", { params: { path: { paper: id } } }))).paper as Paper,
  });
  const keptQuery = useCuration(id);
  const [isEditing, edit] = useState(false);
  const error = paper.error ?? keptQuery.error;
  const read = () => {
    onClose();
    setTimeout(() => open({ paper: id })); // after the dialog has given the focus back
  };
  return (
    <Dialog isOpen onClose={onClose} title={paper.data ? titleOf(paper.data) : t("library.about")}>
      {error && <Trouble error={error} onRetry={() => (paper.refetch(), keptQuery.refetch())} />}
      {!paper.data && !error && <Loading />}
      {paper.data && isEditing && <EditForm paper={paper.data} edits={keptQuery.data?.edits ?? []} onDone={() => edit(false)} />}
      {paper.data && !isEditing && (
        <div className="details">
          <StatusBadge status={paper.data.publication_status} isWhole />
          <PaperFields paper={paper.data} />
          <div className="doing">
            <button type="button" className="primary" onClick={read}>
              <BookOpen size={16} aria-hidden />
              {t("read")}
            </button>
            <button type="button" onClick={() => navigate(`/search?like=${encodeURIComponent(id)}`)}>
              <Radar size={16} aria-hidden />
              {t("search.similar")}
            </button>
            <CiteMenu papers={[id]} />
            <ExportMenu papers={[id]} />
            <IfWritable>
              <button type="button" onClick={() => edit(true)}>
                <Pencil size={16} aria-hidden />
                {t("edit")}
              </button>
              <button
                type="button"
                className="danger"
                onClick={() => {
                  onClose();
                  onRemove(id);
                }}
              >
                <Trash2 size={16} aria-hidden />
                {t("remove")}
              </button>
            </IfWritable>
          </div>
          {keptQuery.data && <Sets id={id} sets={keptQuery.data} />}
          {keptQuery.data && <Notes paper={id} notes={keptQuery.data.notes} />}
        </div>
      )}
    </Dialog>
  );
}

/** What a paper is, field by field, as far as it is known. */
export function PaperFields({ paper }: { paper: Paper }) {
  const { t } = useWords();
  const rows = [
    [t("library.column.authors"), (paper.authors ?? []).map((author) => author.name).join(", ")],
    [t("library.column.year"), paper.year],
    [t("library.column.venue"), paper.venue],
    ["DOI", paper.doi],
    ["arXiv", paper.arxiv_id],
    ["PMID", paper.pmid],
    [t("library.column.cited"), paper.citation_count === null || paper.citation_count === undefined ? "" : number(paper.citation_count)],
    [t("library.column.keywords"), (paper.keywords ?? []).join(", ")],
    [t("library.column.files"), (paper.files ?? []).map((file) => file.path.split("/").at(-1)).join(", ")],
  ].filter(([, value]) => value);
  return (
    <dl className="about">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sets({ id, sets }: { id: string; sets: PaperCuration }) {
  const { t } = useWords();
  const tags = useTags();
  const collections = useCollections();
  const keeping = useCurationChange();
  const idOf = (name: string) => collections.data?.find((collection) => collection.name === name)?.id ?? name;
  return (
    <>
      <Chips
        title={t("library.tags")}
        add={t("library.tag.add")}
        chosen={sets.tags}
        known={(tags.data ?? []).map((tag) => tag.name)}
        onAdd={(name) => keeping.mutate(() => keep.tag([id], [name]))}
        onDrop={(name) => keeping.mutate(() => keep.tag([id], [], [name]))}
      />
      <Chips
        title={t("library.collections")}
        add={t("library.collection.add")}
        chosen={sets.collections}
        known={(collections.data ?? []).map((collection) => collection.name)}
        onAdd={(name) => keeping.mutate(() => keep.collect(name, [id]))}
        onDrop={(name) => keeping.mutate(() => keep.change(idOf(name), { remove: [id] }))}
      />
    </>
  );
}

interface ChipsProps {
  title: string;
  add: string;
  chosen: readonly string[];
  known: readonly string[];
  onAdd: (name: string) => void;
  onDrop: (name: string) => void;
}

function Chips({ title, add, chosen, known, onAdd, onDrop }: ChipsProps) {
  const { t } = useWords();
  const [typed, type] = useState("");
  const list = `known-${title}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim()) onAdd(typed.trim());
    type("");
  };
  return (
    <section className="kept" aria-label={title}>
      <h3>{title}</h3>
      <div className="chips">
        {chosen.map((name) => (
          <button key={name} type="button" className="chip" onClick={() => onDrop(name)} aria-label={t("search.without", { what: name })}>
            {name}
            <X size={13} aria-hidden />
          </button>
        ))}
        <IfWritable>
          <form onSubmit={submit}>
            <input list={list} value={typed} maxLength={100} placeholder={add} aria-label={add} onChange={(event) => type(event.target.value)} />
            <datalist id={list}>
              {known
                .filter((name) => !chosen.includes(name))
                .map((name) => (
                  <option key={name} value={name} />
                ))}
            </datalist>
            <button type="submit" disabled={!typed.trim()}>
              {t("add")}
            </button>
          </form>
        </IfWritable>
      </div>
    </section>
  );
}
