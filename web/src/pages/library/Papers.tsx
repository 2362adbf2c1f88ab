/** The papers of the library: found, sorted, chosen, tagged, collected, exported, removed. */
import { FolderPlus, Radar, Search, Tag, Trash2, X } from "lucide-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { useWords } from "../../i18n";
import { AskThese } from "../../parts/AskThese";
import { Empty } from "../../parts/Empty";
import { ExportMenu } from "../../parts/ExportMenu";
import { useParams } from "../../parts/params";
import { useSelection } from "../../parts/selection";
import { FirstSteps } from "../../parts/start/FirstSteps";
import { SampleNotice } from "../../parts/start/SampleNotice";
import { toast } from "../../parts/toast";
import { IfWritable } from "../../shell/health";
import { useKeys } from "../../shell/keys";
import { Collections } from "./Collections";
import { CompleteButton, CompletionReport } from "./CompleteMetadata";
import { Details } from "./Details";
import { keep, useCollections, useCurationChange, useTags } from "../../parts/curation";
import { NameDialog } from "../../parts/NameDialog";
import { useRemoval } from "./removal";
import { filters, type Sort, SORTS, useTotal, usualOrder, type PaperCriteria } from "./rows";
import { Table } from "./Table";
import { WriteButton, ExportReport } from "./ZoteroExport";

const PAUSE = 250;

export function readCriteria(params: URLSearchParams): PaperCriteria {
  const sort = SORTS.find((name) => name === params.get("sort")) ?? "added";
  const order = params.get("order");
  return {
    q: params.get("q") ?? "",
    sort,
    order: order === "asc" || order === "desc" ? order : usualOrder(sort),
    collection: params.get("collection") ?? "",
    tag: params.get("tag") ?? "",
    full: params.get("full") ?? "",
  };
}

export function Papers() {
  const { t } = useWords();
  const [params, change] = useParams();
  const [, navigate] = useLocation();
  const criteria = readCriteria(params);
  const selection = useSelection();
  const { gone, remove } = useRemoval();
  const keeping = useCurationChange();
  const collections = useCollections();
  const tags = useTags();
  const [asking, ask] = useState<"collection" | "tag" | null>(null);
  const total = useTotal(criteria);
  const all = useTotal({ ...criteria, q: "", collection: "", tag: "", full: "" });
  const chosen = [...selection.chosen].filter((id) => !gone.has(id));
  const about = params.get("about");
  const isNarrowed = !!(criteria.q || criteria.collection || criteria.tag || criteria.full);
  const removeAll = () => {
    remove(chosen);
    selection.clear();
  };
  const put = (name: string) => {
    const kind = asking;
    ask(null);
    keeping.mutate(() => (kind === "tag" ? keep.tag(chosen, [name]) : keep.collect(name, chosen)), {
      onSuccess: () => toast(t("library.put", { n: chosen.length, name })),
    });
  };
  if (all === 0 && !isNarrowed) return <FirstSteps />;
  return (
    <div className="papers-of">
      <Collections criteria={criteria} total={all} onChange={change} />
      <section aria-label={t("library.papers")}>
        <div className="tools">
          <FindBox q={criteria.q} onFind={(q) => change({ q }, true)} />
          <label>
            <span className="hidden">{t("search.facet.full")}</span>
            <select value={criteria.full} onChange={(event) => change({ full: event.target.value })}>
              <option value="">{t("search.full.any")}</option>
              <option value="1">{t("search.full.1")}</option>
              <option value="0">{t("search.full.0")}</option>
            </select>
          </label>
          <label>
            <span className="hidden">{t("search.sort")}</span>
            <select value={criteria.sort} onChange={(event) => change({ sort: event.target.value, order: null })}>
              {SORTS.map((sort) => (
                <option key={sort} value={sort}>
                  {t(`library.sort.${sort}`)}
                </option>
              ))}
            </select>
          </label>
          <span className="muted" role="status">
            {total !== undefined && t("search.found", { n: total })}
          </span>
          {!!all && <CompleteButton papers={chosen} total={all} />}
          <ExportMenu papers={chosen} filters={chosen.length || criteria.q ? undefined : filters(criteria)} />
        </div>
        <SampleNotice />
        <CompletionReport />
        <ExportReport />
        <Table
          key={JSON.stringify(criteria)}
          criteria={criteria}
          hidden={gone}
          selection={selection}
          onSort={(sort: Sort, order) => change({ sort, order })}
          onAbout={(id) => change({ about: id })}
          none={
            <Empty icon={Search} title={t("library.none")}>
              <button type="button" onClick={() => change({ q: null, collection: null, tag: null, full: null })}>
                {t("library.all")}
              </button>
            </Empty>
          }
        />
        {chosen.length > 0 && (
          <div className="chosen" role="region" aria-label={t("selection")}>
            <strong role="status">{t("selected", { n: chosen.length })}</strong>
            <AskThese papers={chosen} />
            <IfWritable>
              <button type="button" onClick={() => ask("collection")}>
                <FolderPlus size={16} aria-hidden />
                {t("library.collect")}
              </button>
              <button type="button" onClick={() => ask("tag")}>
                <Tag size={16} aria-hidden />
                {t("library.tag")}
              </button>
            </IfWritable>
            {chosen.length <= 20 && (
              <button type="button" onClick={() => navigate(`/search?${new URLSearchParams(chosen.map((id) => ["like", id]))}`)}>
                <Radar size={16} aria-hidden />
                {t("search.similar")}
              </button>
            )}
            <ExportMenu papers={chosen} side="above" />
            <WriteButton papers={chosen} />
            <IfWritable>
              <button type="button" className="danger" onClick={removeAll}>
                <Trash2 size={16} aria-hidden />
                {t("remove")}
              </button>
            </IfWritable>
            <button type="button" className="plain" onClick={selection.clear} aria-label={t("selection.clear")}>
              <X size={18} aria-hidden />
            </button>
          </div>
        )}
      </section>
      <NameDialog
        key={asking}
        isOpen={asking !== null}
        title={asking === "tag" ? t("library.tag") : t("library.collect")}
        label={asking === "tag" ? t("library.tag.add") : t("library.collection.name")}
        known={(asking === "tag" ? tags.data : collections.data)?.map((paperSet) => paperSet.name)}
        onClose={() => ask(null)}
        onSave={put}
      />
      {about && <Details id={about} onClose={() => change({ about: null })} onRemove={(id) => remove([id])} />}
    </div>
  );
}

/** Find by title or author, while it is typed. */
function FindBox({ q, onFind }: { q: string; onFind: (q: string) => void }) {
  const { t } = useWords();
  const [typed, type] = useState(q);
  const [seen, see] = useState(q);
  const [sent, send] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const box = useRef<HTMLInputElement>(null);
  useKeys([{ keys: "/", does: "library.find", run: () => box.current?.select() }]);
  if (q !== seen) {
    see(q);
    if (q !== sent) type(q); // changed elsewhere, not by what was typed here
  }
  const change = (text: string) => {
    type(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      send(text.trim());
      onFind(text.trim());
    }, PAUSE);
  };
  return (
    <input
      type="search"
      ref={box}
      value={typed}
      onChange={(event) => change(event.target.value)}
      placeholder={t("library.find")}
      aria-label={t("library.find")}
    />
  );
}
