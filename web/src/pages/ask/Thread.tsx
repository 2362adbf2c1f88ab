/** A question and its answer, with those before and after it; below, what to ask next. */
import { useEffect, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import type { Answer, SavedAnswer } from "../../api/types";
import { useWords } from "../../i18n";
import { useDraft } from "../../parts/draft";
import { Loading } from "../../parts/Loading";
import { toastError } from "../../parts/toast";
import { Trouble } from "../../parts/Trouble";
import { Actions } from "./Actions";
import { AnswerView } from "./AnswerView";
import { addressOf, useAsk } from "./questions";
import { RerunProgress } from "./Changes";
import { Composer } from "./Composer";
import { fromAddress, optionsOfAnswer } from "./options";
import { useAnswer, useTalk } from "./queries";
import { Question } from "./Question";
import { AnswerProgress } from "./AnswerProgress";

/** `name` is an answer's or a conversation's. */
export function Thread({ name }: { name: string }) {
  const isTalk = name.startsWith("con-");
  const saved = useAnswer(isTalk ? "" : name);
  const talk = useTalk(isTalk ? name : (saved.data?.conversation ?? ""));
  const error = saved.error ?? (isTalk ? talk.error : null);
  const { t } = useWords();
  if (error)
    return (
      <div className="page ask">
        <Trouble error={error} onRetry={isTalk ? talk.refetch : saved.refetch} />
      </div>
    );
  const turns: Answer[] = [...(talk.data?.answers ?? [])];
  if (saved.data && !turns.some((turn) => turn.id === name)) turns.push(saved.data.answer);
  if (!turns.length) return isTalk && talk.data ? <p className="page">{t("ask.none")}</p> : <div className="page"><Loading /></div>;
  return <Turns key={saved.data?.conversation || name} name={isTalk ? turns.at(-1)!.id : name} turns={turns} saved={saved.data} title={talk.data?.title} />;
}

interface Props {
  name: string;
  turns: Answer[];
  saved?: SavedAnswer;
  title?: string;
}

function Turns({ name, turns, saved, title }: Props) {
  const [, navigate] = useLocation();
  const [search] = useSearchParams();
  const job = search.get("job");
  const question = search.get("q") ?? "";
  const rerunJob = search.get("rerun");
  const { text: typed, write: type, drop } = useDraft(`follow.${saved?.conversation || name}`);
  const before = job ? fromAddress(search) : saved ? optionsOfAnswer(saved) : fromAddress(search);
  const [chosenOptions, choose] = useState<typeof before>();
  const ask = useAsk();
  const last = turns.at(-1)!;
  const at = turns.findIndex((turn) => turn.id === name);
  useEffect(() => {
    if (at > 0 && !job) document.getElementById(name)?.scrollIntoView?.({ block: "start" });
  }, [name, at, job]);
  const wish = (text: string) =>
    ask.mutate(
      { question: text, options: chosenOptions ?? before, after: last.id },
      { onSuccess: drop, onError: toastError },
    );
  return (
    <div className="page ask">
      {title && turns.length > 1 && <p className="muted talk">{title}</p>}
      {turns.map((turn) => (
        <article key={turn.id} id={turn.id} className="turn">
          <Question text={turn.question} />
          {rerunJob && turn.id === name ? (
            <RerunProgress key={rerunJob} job={rerunJob} onClose={() => navigate(addressOf(name))}>
              <AnswerView answer={turn} isBrief isKept options={before} />
            </RerunProgress>
          ) : (
            <AnswerView answer={turn} isBrief={turn !== last} isKept options={before} />
          )}
          <Actions answer={turn} next={turns.find((other) => other.id !== turn.id)?.id ?? ""} />
        </article>
      ))}
      {job && (
        <article className="turn">
          <Question text={question} />
          <AnswerProgress
            key={job}
            job={job}
            question={question}
            onAgain={() => wish(question)}
            onLeave={() => {
              type(question);
              navigate(addressOf(name));
            }}
          />
        </article>
      )}
      {ask.isPending && <Loading as="line" />}
      {!job && (
        <Composer
          isFollowUp
          question={typed}
          onQuestion={type}
          options={chosenOptions ?? before}
          onOptions={choose}
          isBusy={ask.isPending}
          onAsk={() => wish(typed)}
        />
      )}
    </div>
  );
}
