/** Where a question is asked: the box, examples of the library's own papers, what was asked last. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { api, body } from "../../api/client";
import type { Paper } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { DropZone } from "../../parts/DropZone";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { useHasModel } from "../../parts/connect/modelConnection";
import { FirstSteps } from "../../parts/start/FirstSteps";
import { SampleNotice } from "../../parts/start/SampleNotice";
import { useHasSamples } from "../../parts/start/samples";
import { toastError } from "../../parts/toast";
import { useDraft } from "../../parts/draft";
import { useSubjects } from "../../parts/subjects";
import { IfWritable } from "../../shell/health";
import { useAsk } from "./questions";
import { Composer } from "./Composer";
import { Entries } from "./History";
import { fromAddress, toAddress, type Options } from "./options";
import { useHistory } from "./queries";
import { Question } from "./Question";
import { AnswerProgress } from "./AnswerProgress";

export function Home() {
  const { t } = useWords();
  const [search, set] = useSearchParams();
  const [, navigate] = useLocation();
  const job = search.get("job");
  const q = search.get("q") ?? "";
  const options = fromAddress(search);
  const ask = useAsk();
  const papers = useSomePapers();
  const choose = useCallback((to: Options) => set((before) => toAddress(to, before), { replace: true }), [set]);
  const wish = (question: string, onSuccess?: () => void) => ask.mutate({ question, options }, { onSuccess, onError: toastError });
  if (job)
    return (
      <div className="page ask">
        <article className="turn">
          <Question text={q} />
          <AnswerProgress
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
    <DropZone className="page ask home" onDropped={() => navigate("/library")}>
      <h1>{t("ask.title")}</h1>
      <Box key={q} q={q} options={options} onOptions={choose} isBusy={ask.isPending} onAsk={wish} />
      {papers.data?.papers.length === 0 ? <FirstSteps /> : <WithoutModel />}
      {!!papers.data?.papers.length && (
        <IfWritable>
          <Examples papers={papers.data.papers} onChoose={(question) => wish(question)} />
        </IfWritable>
      )}
      <SampleNotice />
      <Recent />
    </DropZone>
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
function Box({ q, onAsk, ...rest }: BoxProps) {
  const { text, write, drop } = useDraft(q ? "" : "ask", q);
  return <Composer question={text} onQuestion={write} onAsk={() => onAsk(text, drop)} {...rest} />;
}

export interface Example {
  key: Key;
  values: Record<string, string>;
}

/** Three questions that the library's own papers may answer: of subjects that several have, the best first, else of titles. */
export function examples(papers: readonly Paper[], subjects: readonly string[]): Example[] {
  const text = ({ title, keywords }: Paper) => [title, ...(keywords ?? [])].join(" ; ").toLowerCase();
  const together = papers.map((paper) => subjects.filter((subject) => text(paper).includes(subject.toLowerCase()))).find((both) => both.length > 1);
  const picked: Example[] = together ? [{ key: "ask.example.two", values: { a: together[0]!, b: together[1]! } }] : [];
  const free = subjects.filter((subject) => !together?.slice(0, 2).includes(subject));
  for (const a of free.slice(0, together ? 1 : 2)) picked.push({ key: "ask.example.one", values: { a } });
  const titled = papers.filter(({ title }) => title && title.length <= 90).toSorted((a, b) => Number(b.has_full_text) - Number(a.has_full_text));
  const asking = titled.find(({ title }) => title.endsWith("?") && !title.includes(":") && title.split(" ").length > 4);
  if (asking) picked.push({ key: "ask.example.own", values: { title: asking.title } });
  for (const { title } of titled) if (title !== asking?.title) picked.push({ key: "ask.example.title", values: { title: title.replace(/[.?]$/, "") } });
  return picked.slice(0, 3);
}

/** What the sample papers answer, some of it from several points of view. */
const OF_SAMPLES: Key[] = ["samples.question.1", "samples.question.2", "samples.question.3"];
/** Papers up to which a library with sample papers is one of samples. */
const SAMPLES = 30;

const useSomePapers = () =>
  useQuery({
    queryKey: ["papers", "examples"],
    queryFn: () =>
      body(api.GET("/api/v1/papers", { params: { query: { limit: 100 } } })) as unknown as Promise<{ papers: Paper[] }>,
  });

function Examples({ papers, onChoose }: { papers: readonly Paper[]; onChoose: (question: string) => void }) {
  const { t } = useWords();
  const subjects = useSubjects();
  const isOfSamples = useHasSamples() && papers.length <= SAMPLES;
  const questions = isOfSamples ? OF_SAMPLES.map((key) => t(key)) : examples(papers, subjects.data ?? []).map(({ key, values }) => t(key, values));
  if (!questions.length || subjects.isPending) return null;
  return (
    <section className="examples">
      <h2>{t("ask.examples")}</h2>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button type="button" onClick={() => onChoose(question)}>
              {question}
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
