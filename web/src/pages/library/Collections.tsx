/** The library's parts at the left: all papers, collections with their counts, tags. */
import type { PaperSet } from "../../api/types";
import { FolderOpen, Library, MessageCircleQuestion, Pencil, Plus, Search, Tag, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { number, useWords } from "../../i18n";
import { useChosenInView } from "../../parts/chosenInView";
import { confirm } from "../../parts/confirm";
import type { Values } from "../../parts/params";
import { keep, useCollections, useCurationChange, useTags } from "../../parts/curation";
import { NameDialog } from "../../parts/NameDialog";
import { IfWritable } from "../../shell/health";
import { RemovedPapers } from "./RemovedPapers";
import type { PaperCriteria } from "./rows";

export function Collections({ criteria, total, onChange }: { criteria: PaperCriteria; total: number | undefined; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const collections = useCollections();
  const tags = useTags();
  const keeping = useCurationChange();
  const [naming, name] = useState<PaperSet | "new" | null>(null);
  const row = useRef<HTMLElement>(null);
  useChosenInView(row, criteria.collection || criteria.tag, collections.data);
  const here = collections.data?.find((collection) => collection.name === criteria.collection);
  const dissolve = async (collection: PaperSet) => {
    const text = t("library.collection.remove.what");
    if (!(await confirm({ title: t("library.collection.remove", { name: collection.name }), text, action: t("remove"), isDanger: true }))) return;
    keeping.mutate(() => keep.dissolve(collection.id), { onSuccess: () => onChange({ collection: null }) });
  };
  const saved = (text: string) => {
    name(null);
    if (naming === "new") keeping.mutate(() => keep.collect(text), { onSuccess: () => onChange({ collection: text, tag: null }) });
    else if (naming) keeping.mutate(() => keep.change(naming.id, { rename: text }), { onSuccess: () => onChange({ collection: text }) });
  };
  const entry = (kind: "collection" | "tag", paperSet: PaperSet) => (
    <li key={paperSet.id}>
      <button
        type="button"
        className="entry"
        aria-pressed={criteria[kind] === paperSet.name}
        onClick={() => onChange({ collection: null, tag: null, [kind]: paperSet.name })}
      >
        {kind === "tag" ? <Tag size={15} aria-hidden /> : <FolderOpen size={15} aria-hidden />}
        <span>{paperSet.name}</span>
        <span className="count">{number(paperSet.papers)}</span>
      </button>
    </li>
  );
  return (
    <nav ref={row} className="collections" aria-label={t("library.collections")}>
      <ul>
        <li>
          <button
            type="button"
            className="entry"
            aria-pressed={!criteria.collection && !criteria.tag}
            onClick={() => onChange({ collection: null, tag: null })}
          >
            <Library size={15} aria-hidden />
            <span>{t("library.all")}</span>
            <span className="count">{total !== undefined && number(total)}</span>
          </button>
        </li>
      </ul>
      <header>
        <h2>{t("library.collections")}</h2>
        <IfWritable>
          <button type="button" className="plain" onClick={() => name("new")} aria-label={t("library.collection.new")} title={t("library.collection.new")}>
            <Plus size={16} aria-hidden />
          </button>
        </IfWritable>
      </header>
      <ul>{collections.data?.map((collection) => entry("collection", collection))}</ul>
      {!collections.data?.length && <p className="muted">{t("library.collection.none")}</p>}
      {here && (
        <p className="doing">
          <Link className="button quiet" href={`/ask?collection=${encodeURIComponent(here.name)}`}>
            <MessageCircleQuestion size={14} aria-hidden />
            {t("page.ask")}
          </Link>
          <Link className="button quiet" href={`/search?collection=${encodeURIComponent(here.name)}`}>
            <Search size={14} aria-hidden />
            {t("page.search")}
          </Link>
          <IfWritable>
            <button type="button" className="quiet" onClick={() => name(here)}>
              <Pencil size={14} aria-hidden />
              {t("rename")}
            </button>
            <button type="button" className="quiet" onClick={() => dissolve(here)}>
              <Trash2 size={14} aria-hidden />
              {t("remove")}
            </button>
          </IfWritable>
        </p>
      )}
      {!!tags.data?.length && (
        <>
          <header>
            <h2>{t("library.tags")}</h2>
          </header>
          <ul>{tags.data.map((tag) => entry("tag", tag))}</ul>
        </>
      )}
      <RemovedPapers />
      <NameDialog
        key={naming === "new" ? "new" : naming?.id}
        isOpen={naming !== null}
        title={naming === "new" || !naming ? t("library.collection.new") : t("rename")}
        label={t("library.collection.name")}
        name={naming === "new" || !naming ? "" : naming.name}
        onClose={() => name(null)}
        onSave={saved}
      />
    </nav>
  );
}
