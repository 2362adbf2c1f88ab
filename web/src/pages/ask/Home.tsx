/** Where a question is asked: the box, examples of the library's own papers, what was asked last. */
import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { useCallback } from "react";
import { Link, useSearchParams } from "wouter";
import { api, body } from "../../api/client";
import type { Paper } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { useHasModel } from "../../parts/connect/connecting";
import { toastError } from "../../parts/toast";
import { PAGES } from "..";
import { useDraft } from "../../parts/draft";
import { Changing } from "../../shell/health";
import { useAsk } from "./asking";
import { Composer } from "./Composer";
import { Entries } from "./History";
import { fromAddress, inAddress, type Options } from "./options";
import { useHistory } from "./queries";
import { Running } from "./Running";

export function Home() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const job = search.get("job");
  const q = search.get("q") ?? "";
  const options = fromAddress(search);
  const ask = useAsk();
  const choose = useCallback((to: Options) => set((before) => inAddress(to, before), { replace: true }), [set]);
  const wish = (question: string, onSuccess?: () => void) => ask.mutate({ question, options }, { onSuccess, onError: toastError });
  if (job)
    return (
      <div className="page ask">
        <article className="turn">
          <h1>{q}</h1>
          <Running
            key={job}
            job={job}
            question={q}
            onAgain={() => wish(q)}
            onLeave={() =>
              set((before) => {
                const after = new URLSearchParams(before);
                after.delete("job");
                return after;
              })
            }
          />
        </article>
      </div>
    );
  return (
    <div className="page ask home">
      <h1>{t("ask.title")}</h1>
      <Box key={q} q={q} options={options} onOptions={choose} isBusy={ask.isPending} onAsk={wish} />
      <WithoutModel />
      <Changing>
        <Examples onChoose={(question) => wish(question)} />
      </Changing>
      <Recent />
    </div>
  );
}

/** What answers are without a language model, and how one is connected. */
function WithoutModel() {
  const { t } = useWords();
  return useHasModel() === false ? (
    <p className="muted">
      {t("ask.without_model")} <ConnectModel isPlain />
    </p>
  ) : null;
}

interface BoxProps {
  /** As the address has it: asked about something in the reader, or before. */
  q: string;
  options: Options;
  onOptions: (options: Options) => void;
  isBusy: boolean;
  onAsk: (question: string, onSuccess: () => void) => void;
}

/** The box; what is typed into the empty one stays there, whatever page is looked at meanwhile. */
function Box({ q, onAsk, ...given }: BoxProps) {
  const { text, write, drop } = useDraft(q ? "" : "ask", q);
  return <Composer question={text} onQuestion={write} onAsk={() => onAsk(text, drop)} {...given} />;
}

export interface Example {
  key: Key;
  values: Record<string, string>;
}

/** Three questions that the library's own papers may answer: of keywords, where papers have some, else of titles. */
export function examples(papers: readonly Paper[]): Example[] {
  const rich = [...papers].sort((a, b) => Number(b.has_full_text) - Number(a.has_full_text));
  const worded = rich.filter((one) => (one.keywords ?? []).length > 0);
  const found: Example[] = [];
  const used = new Set<string>();
  const take = (paper: Paper | undefined, key: Key, values: Record<string, string>) => {
    if (!paper || used.has(paper.id)) return;
    used.add(paper.id);
    found.push({ key, values });
  };
  const two = worded.find((one) => one.keywords.length > 1);
  take(two, "ask.example.two", { a: two?.keywords[0] ?? "", b: two?.keywords[1] ?? "" });
  const one = worded.find((paper) => !used.has(paper.id));
  take(one, "ask.example.one", { a: one?.keywords[0] ?? "" });
  for (const paper of rich)
    if (found.length < 3 && paper.title && paper.title.length <= 90)
      take(paper, "ask.example.title", { title: paper.title });
  return found;
}

function Examples({ onChoose }: { onChoose: (question: string) => void }) {
  const { t } = useWords();
  const papers = useQuery({
    queryKey: ["papers", "examples"],
    queryFn: () =>
      body(api.GET("/api/v1/papers", { params: { query: { limit: 100 } } })) as unknown as Promise<{ papers: Paper[] }>,
  });
  if (!papers.data) return null;
  if (!papers.data.papers.length)
    return (
      <Empty icon={BookOpen} title={t("ask.empty")}>
        <p>{t("ask.empty.said")}</p>
        {PAGES.some((page) => page.path === "/library") && (
          <Link className="button" href="/library">
            {t("ask.empty.add")}
          </Link>
        )}
      </Empty>
    );
  return (
    <section className="examples">
      <h2>{t("ask.examples")}</h2>
      <ul>
        {examples(papers.data.papers).map(({ key, values }) => (
          <li key={key + values.title}>
            <button type="button" onClick={() => onChoose(t(key, values))}>
              {t(key, values)}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Recent() {
  const { t } = useWords();
  const history = useHistory(20);
  if (!history.data?.length) return null;
  return (
    <section className="recent">
      <div className="head">
        <h2>{t("ask.recent")}</h2>
        <Link href="/ask/history">{t("ask.history.all")}</Link>
      </div>
      <Entries entries={history.data.slice(0, 5)} />
    </section>
  );
}
