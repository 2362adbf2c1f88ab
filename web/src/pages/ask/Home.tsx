/** Where a question is asked: the box, examples of the library's own papers, what was asked last. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { Link, useLocation, useSearchParams } from "wouter";
import { api, body } from "../../api/client";
import type { Paper } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { Dropping } from "../../parts/Dropping";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { useHasModel } from "../../parts/connect/connecting";
import { FirstSteps } from "../../parts/start/FirstSteps";
import { SampleNotice } from "../../parts/start/SampleNotice";
import { useHasSamples } from "../../parts/start/samples";
import { toastError } from "../../parts/toast";
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
  const [, navigate] = useLocation();
  const job = search.get("job");
  const q = search.get("q") ?? "";
  const options = fromAddress(search);
  const ask = useAsk();
  const papers = useSomePapers();
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
    <Dropping className="page ask home" onDropped={() => navigate("/library")}>
      <h1>{t("ask.title")}</h1>
      <Box key={q} q={q} options={options} onOptions={choose} isBusy={ask.isPending} onAsk={wish} />
      {papers.data?.papers.length === 0 ? <FirstSteps /> : <WithoutModel />}
      {!!papers.data?.papers.length && (
        <Changing>
          <Examples papers={papers.data.papers} onChoose={(question) => wish(question)} />
        </Changing>
      )}
      <SampleNotice />
      <Recent />
    </Dropping>
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

/** Kinds of beings and ages by which indexers mark every second paper of medicine: nobody asks about them. */
const MARKS = new Set(
  "humans,human,animals,male,female,adult,aged,aged, 80 and over,middle aged,young adult,adolescent,child,infant,mice,rats,mouse,rat,review,article".split(","),
);

/** Three questions that the library's own papers may answer: of keywords that most papers share, else of titles. */
export function examples(papers: readonly Paper[]): Example[] {
  const rich = [...papers].sort((a, b) => Number(b.has_full_text) - Number(a.has_full_text));
  const number = new Map<string, number>();
  const isJournal = (word: string, { venue }: Paper) => !!venue && word.toLowerCase().split(" ")[0] === venue.toLowerCase().split(" ")[0];
  const wordsOf = (paper: Paper) => (paper.keywords ?? []).filter((word) => !MARKS.has(word.toLowerCase()) && word.length <= 40 && !isJournal(word, paper));
  for (const word of papers.flatMap(wordsOf)) number.set(word.toLowerCase(), (number.get(word.toLowerCase()) ?? 0) + 1);
  // what every paper has tells nothing of the library, what one has little
  const weight = (word = "") => ((count) => (2 * count > papers.length && papers.length > 3 ? 1 : count))(number.get(word.toLowerCase()) ?? 0);
  const found: Example[] = [];
  const used = new Set<string>();
  const free = (word: string) => !used.has(word.toLowerCase());
  const ranked = rich.map((paper) => ({ paper, words: wordsOf(paper).toSorted((one, other) => weight(other) - weight(one)) }));
  const best = (least: number) => {
    const score = ({ words }: (typeof ranked)[number]) => words.filter(free).slice(0, least).reduce((sum, word) => sum + weight(word), 0);
    return ranked
      .filter(({ words }) => words.filter(free).length >= least && words.every(free))
      .toSorted((one, other) => score(other) - score(one))[0];
  };
  const take = (key: Key, words: readonly string[]) => {
    words.forEach((word) => used.add(word.toLowerCase()));
    found.push({ key, values: { a: words[0]!, b: words[1] ?? "" } });
  };
  const two = best(2);
  if (two) take("ask.example.two", two.words.slice(0, 2));
  const one = best(1);
  if (one) take("ask.example.one", one.words.slice(0, 1));
  const others = rich.filter((paper) => paper !== two?.paper && paper !== one?.paper && paper.title && paper.title.length <= 90);
  const asking = others.find(({ title }) => title.endsWith("?") && !title.includes(":") && title.split(" ").length > 4);
  if (asking) found.push({ key: "ask.example.own", values: { title: asking.title } });
  for (const phrase of phrases(papers)) if (![...used].some((word) => word.includes(phrase))) found.push({ key: "ask.example.one", values: { a: phrase } });
  for (const { title } of others) found.push({ key: "ask.example.title", values: { title: title.replace(/[.?]$/, "") } });
  return found.slice(0, 3);
}

/** Words that join others, and those that every title of a paper may have. */
const JOINING = new Set(
  "a,an,and,are,as,at,based,between,by,can,case,during,effect,effects,evidence,for,from,in,into,is,its,new,novel,of,on,or,our,paper,report,review,role,study,studies,the,their,to,toward,towards,trial,under,using,versus,via,what,with,without".split(","),
);

/** Two words that stand together in the titles of several papers, the most frequent first; each word once. */
export function phrases(papers: readonly Paper[]): string[] {
  const number = new Map<string, number>();
  for (const { title } of papers) {
    const pairs = new Set<string>();
    for (const part of title.toLowerCase().split(/[^\p{L}\p{N}\s-]+/u)) {
      const words = part.split(/\s+/).filter(Boolean);
      words.slice(1).forEach((word, at) => {
        const both = [words[at]!, word];
        if (both.every((each) => each.length > 3 && !JOINING.has(each) && !/^\d/.test(each))) pairs.add(both.join(" "));
      });
    }
    for (const pair of pairs) number.set(pair, (number.get(pair) ?? 0) + 1);
  }
  const used = new Set<string>();
  const often = [...number].filter(([, count]) => count > 1).toSorted(([, one], [, other]) => other - one);
  return often.flatMap(([pair]) => {
    const words = pair.split(" ");
    if (words.some((word) => used.has(word))) return [];
    words.forEach((word) => used.add(word));
    return [pair];
  });
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
  const isOfSamples = useHasSamples() && papers.length <= SAMPLES;
  const questions = isOfSamples ? OF_SAMPLES.map((key) => t(key)) : examples(papers).map(({ key, values }) => t(key, values));
  if (!questions.length) return null;
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
