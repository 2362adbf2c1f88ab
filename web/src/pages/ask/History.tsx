/** What was asked: conversations and single answers; open, rename, remove. */
import { useQueryClient } from "@tanstack/react-query";
import { Download, History as Clock, MessageCircleQuestion, Pencil, Trash2 } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { address, api } from "../../api/client";
import { moment, useWords } from "../../i18n";
import { confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/Dialog";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { Menu } from "../../parts/Menu";
import { toast, toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { IfWritable } from "../../shell/health";
import { type Entry, HISTORY, useHistory } from "./queries";

const PORTION = 100;
const MOST = 1000;

export function HistoryPage() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const words = search.get("find") ?? "";
  const [limit, more] = useState(PORTION);
  const history = useHistory(limit);
  const find = (text: string) =>
    set(
      (before) => {
        const after = new URLSearchParams(before);
        if (text) after.set("find", text);
        else after.delete("find");
        return after;
      },
      { replace: true },
    );
  const entries = (history.data ?? []).filter((entry) => entry.title.toLowerCase().includes(words.toLowerCase()));
  return (
    <div className="page ask">
      <div className="head">
        <h1>{t("ask.history")}</h1>
        <span className="buttons">
          {!!history.data?.length && (
            <Menu name={t("ask.feedback")} icon={Download}>
              {(["csv", "jsonl"] as const).map((format) => (
                <a key={format} className="button" href={address("/feedback/export", { format })} download={`feedback.${format}`}>
                  {t(`ask.feedback.${format}`)}
                </a>
              ))}
            </Menu>
          )}
          <Link className="button" href="/ask">
            {t("ask.new")}
          </Link>
        </span>
      </div>
      {history.error && <Trouble error={history.error} onRetry={history.refetch} />}
      {history.isPending && <Loading as="rows" />}
      {history.data?.length === 0 && (
        <Empty icon={MessageCircleQuestion} title={t("ask.none")}>
          <Link className="button" href="/ask">
            {t("ask.new")}
          </Link>
        </Empty>
      )}
      {!!history.data?.length && (
        <>
          <input
            type="search"
            className="find"
            value={words}
            placeholder={t("ask.find")}
            aria-label={t("ask.find")}
            onChange={(event) => find(event.target.value)}
          />
          {entries.length ? <Entries entries={entries} /> : <p className="muted">{t("ask.find.none")}</p>}
          {history.data.length >= limit && limit < MOST && (
            <button type="button" onClick={() => more(Math.min(MOST, limit + 3 * PORTION))}>
              {t("ask.more")}
            </button>
          )}
        </>
      )}
    </div>
  );
}

export function Entries({ entries }: { entries: readonly Entry[] }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [renamed, rename] = useState<Entry>();
  const fresh = () => [HISTORY, ["conversation"], ["answer"]].forEach((queryKey) => queries.invalidateQueries({ queryKey }));
  const remove = async (entry: Entry) => {
    const wish = { title: t(entry.turns > 1 ? "ask.remove.talk" : "ask.remove.title"), text: entry.title, action: t("ask.remove"), isDanger: true };
    if (!(await confirm(wish))) return;
    try {
      const params = { path: { name: entry.id } };
      if (entry.id.startsWith("con-")) await api.DELETE("/api/v1/conversations/{name}", { params });
      else await api.DELETE("/api/v1/answers/{name}", { params });
      fresh();
      toast(t("ask.removed"));
    } catch (error) {
      toastError(error as Error);
    }
  };
  return (
    <>
      <ul className="entries">
        {entries.map((entry) => (
          <li key={entry.id}>
            <Link href={`/ask/${entry.answer}`}>{entry.title}</Link>
            <span className="muted">
              <Clock size={13} aria-hidden />
              {[
                moment(entry.at),
                entry.turns > 1 ? t("ask.turns", { n: entry.turns }) : "",
                entry.answered ? "" : t("ask.unanswered.short"),
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
            <IfWritable>
              <span className="buttons">
                <button type="button" className="plain" aria-label={t("ask.rename", { title: entry.title })} onClick={() => rename(entry)}>
                  <Pencil size={15} aria-hidden />
                </button>
                <button type="button" className="plain" aria-label={t("ask.remove.one", { title: entry.title })} onClick={() => remove(entry)}>
                  <Trash2 size={15} aria-hidden />
                </button>
              </span>
            </IfWritable>
          </li>
        ))}
      </ul>
      {renamed && (
        <Rename
          entry={renamed}
          onClose={() => rename(undefined)}
          onDone={() => {
            rename(undefined);
            fresh();
          }}
        />
      )}
    </>
  );
}

/** Another title; an answer that stands alone becomes a conversation, which can have one. */
function Rename({ entry, onClose, onDone }: { entry: Entry; onClose: () => void; onDone: () => void }) {
  const { t } = useWords();
  const [title, type] = useState(entry.title);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      if (entry.id.startsWith("con-"))
        await api.PATCH("/api/v1/conversations/{name}", { params: { path: { name: entry.id } }, body: { title } });
      else await api.POST("/api/v1/conversations", { body: { title, answer: entry.id } });
      onDone();
    } catch (error) {
      toastError(error as Error);
    }
  };
  return (
    <Dialog isOpen onClose={onClose} title={t("ask.rename.title")}>
      <form onSubmit={save} className="rename">
        <label className="field">
          <span>{t("ask.title.new")}</span>
          <input value={title} maxLength={500} onChange={(event) => type(event.target.value)} />
        </label>
        <button type="submit" className="primary" disabled={!title.trim()}>
          {t("ask.rename.do")}
        </button>
      </form>
    </Dialog>
  );
}
