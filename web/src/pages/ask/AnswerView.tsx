import { ChevronRight, Info } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Answer, Draft, Step } from "../../api/types";
import { type Key, moment, number, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { CitationChip } from "../../parts/CitationChip";
import { ConnectModel } from "../../parts/connect/ConnectModel";
import { useModelTitle, useModelTitles, useWritingModel } from "../../parts/modelTitles";
import { PaperLine } from "../../parts/PaperLine";
import { Remedy } from "../../parts/Remedy";
import { AskAgain } from "./AskAgain";
import { RefusalNotice, refusalOf } from "./RefusalNotice";
import { EvidenceCards } from "./EvidenceCards";
import { Figures } from "./Figures";
import type { Options } from "./options";
import { papersOf } from "./queries";
import { Sources } from "./Sources";
import { Statements, Tally } from "./Statements";

/**
 * An answer as it was made, or why there is none; behind it what it rests on, and what it took.
 * `isBrief`: another one on the page says how a model is set; `isKept`: it is in the library, and can be judged;
 * `options`: how it was asked for.
 */
export function AnswerView({ answer, isBrief, isKept, options }: { answer: Answer; isBrief?: boolean; isKept?: boolean; options?: Options }) {
  const { t } = useWords();
  const papers = papersOf(answer);
  return (
    <>
      {answer.standalone && answer.standalone !== answer.question && (
        <p className="muted">{t("ask.understood", { question: answer.standalone })}</p>
      )}
      <QuotedNotice answer={answer} isBrief={isBrief} isKept={isKept} />
      {answer.answered ? <Statements statements={answer.statements} answer={isKept ? answer.id : ""} /> : <UnansweredNotice answer={answer} options={options} />}
      {answer.answered && <Sources statements={answer.statements} />}
      <Figures figures={answer.figures} />
      {Object.keys(answer.queries).length > 0 && <Queries queries={answer.queries} />}
      {answer.note &&
        (isUseless(answer) ? (
          <More name={t("ask.useless.details")}>
            <p className="muted">
              <Remedy text={answer.note} />
            </p>
          </More>
        ) : (
          <p className="note">
            <Info size={16} aria-hidden />
            <Remedy text={answer.note} />
          </p>
        ))}
      {answer.opinion && (
        <p className="note">
          <Info size={16} aria-hidden />
          <Opinion {...answer.opinion} />
        </p>
      )}
      {answer.background && (
        <aside className="background">
          <h3>{t("ask.background.title")}</h3>
          <p className="muted">{t("ask.background.note")}</p>
          <p>{answer.background}</p>
        </aside>
      )}
      <div className="behind">
        {answer.evidence.length > 0 && (
          <More name={t("ask.evidence", { n: answer.evidence.length })}>
            <EvidenceCards evidence={answer.evidence} />
          </More>
        )}
        {!answer.answered && papers.length > 0 && (
          <More name={t("ask.papers.read", { n: papers.length })}>
            <ul className="papers">
              {papers.map((paper) => (
                <li key={paper.id}>
                  <PaperLine paper={paper} />
                </li>
              ))}
            </ul>
          </More>
        )}
        {answer.unread.length > 0 && (
          <More name={t("ask.unread", { n: answer.unread.length })}>
            <ul>
              {answer.unread.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </More>
        )}
        {answer.drafts.map((draft, at) => (
          <More key={at} name={t(DRAFTS[draft.name])}>
            <DraftView draft={draft} />
          </More>
        ))}
        {answer.trace.length > 0 && (
          <More name={t("ask.trace", { n: answer.trace.length })}>
            <Steps steps={answer.trace} />
          </More>
        )}
      </div>
      <Took answer={answer} />
    </>
  );
}

function Opinion({ model, agrees, why }: NonNullable<Answer["opinion"]>) {
  const { t } = useWords();
  const title = useModelTitle(model);
  return `${t(agrees ? "ask.agrees" : "ask.disagrees", { model: title })} ${why}`;
}

const DRAFTS: Record<Draft["name"], Key> = {
  "first answer": "ask.draft.first",
  critique: "ask.draft.critique",
  "overruled answer": "ask.draft.overruled",
  "rejected answer": "ask.draft.rejected",
};

/** Something that is shown when it is asked for. */
export function More({ name, children }: { name: string; children: ReactNode }) {
  return (
    <details className="more">
      <summary>
        <ChevronRight size={16} aria-hidden />
        {name}
      </summary>
      {children}
    </details>
  );
}

/** Numbers behind a decision, with the setting that decides: ` … (needed: 0.25, answer.probability).` */
const NUMBERS = /(?<=[.!?]) (?:(?![.!?] ).)*\([^()]*answer\.\w+\)\./;

function UnansweredNotice({ answer, options }: { answer: Answer; options?: Options }) {
  const { t } = useWords();
  const refusal = refusalOf(answer.reason);
  if (refusal)
    return (
      <p className="unanswered" data-stop tabIndex={-1}>
        <RefusalNotice refusal={refusal} options={options} />
      </p>
    );
  const reason = translateText(t, answer.reason);
  const why = NUMBERS.exec(reason);
  return (
    <div className="unanswered" data-stop tabIndex={-1}>
      <h3>{t("ask.unanswered")}</h3>
      <p>
        <Remedy text={why ? reason.slice(0, why.index) : reason} />
      </p>
      {answer.closest && (
        <>
          <p className="muted">{t("ask.closest")}</p>
          <blockquote>
            {answer.closest.quote} <CitationChip citation={answer.closest} />
          </blockquote>
        </>
      )}
      <p className="muted">{t("ask.unanswered.do")}</p>
      {why && (
        <More name={t("ask.why")}>
          <p className="muted">{why[0].trim()}</p>
        </More>
      )}
      <Link className="button" href={`/search?q=${encodeURIComponent(answer.standalone || answer.question)}`}>
        {t("ask.search")}
      </Link>
    </div>
  );
}

/** Whether a model was asked, and gave nothing that could be used: then a note of the server says so (`answer/quotes.py`). */
const isUseless = ({ method, note }: Answer) => method === "extractive" && note.includes("The answer below quotes the papers directly.");

/** That no model has written it, and how one would: one that is set now, or one to be connected. */
function QuotedNotice({ answer, isBrief, isKept }: { answer: Answer; isBrief?: boolean; isKept?: boolean }) {
  const { t } = useWords();
  const model = useWritingModel();
  const hasFailed = isUseless(answer);
  const failed = useModelTitle(hasFailed ? (answer.models[0] ?? "") : "");
  if (answer.method !== "extractive" || refusalOf(answer.reason)) return null; // a model would not count either
  return (
    <div className="note">
      <Info size={16} aria-hidden />
      <div>
        {hasFailed ? (
          <p>
            {t(answer.answered ? "ask.useless" : "ask.useless.none", { model: failed })} {t("ask.useless.how")}
          </p>
        ) : (
          answer.answered && <p>{t("ask.extractive")}</p>
        )}
        {!isBrief && !hasFailed && (
          <p className="muted">
            {t("ask.extractive.how")} {!model ? <ConnectModel isPlain /> : isKept && <AskAgain answer={answer.id} className="link" />}
          </p>
        )}
      </div>
    </div>
  );
}

function Queries({ queries }: { queries: Record<string, string> }) {
  const { t } = useWords();
  return (
    <div className="queries">
      <p className="muted">{t("ask.queries")}</p>
      <dl>
        {Object.entries(queries).map(([service, query]) => (
          <div key={service}>
            <dt>{service}</dt>
            <dd>
              <code>{query}</code>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function DraftView({ draft }: { draft: Draft }) {
  return draft.statements?.length ? <Statements statements={draft.statements} /> : <p className="text">{draft.text}</p>;
}

export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="steps">
      {steps.map((step) => (
        <li key={step.number}>
          {step.thought && <p>{step.thought}</p>}
          {step.tool && (
            <p>
              <code>
                {step.tool} {step.arguments}
              </code>
            </p>
          )}
          <p className="muted text">{step.result}</p>
        </li>
      ))}
    </ol>
  );
}

/** `ollama:qwen3`, `local:FILE`, an address; what makes vectors or ranks is called by its file and version. */
const isLanguageModel = (name: string) => name.includes(":");

/** How it was made, and what that took, in a line; behind it what its models are called in the settings. */
function Took({ answer: { usage, models, statements, made, method } }: { answer: Answer }) {
  const { t } = useWords();
  const writers = method === "extractive" ? [] : models.filter(isLanguageModel);
  const title = useModelTitles(writers);
  const { prompt_tokens = 0, completion_tokens = 0, calls = 0, cost, seconds = 0, passages = 0, from_cache = 0 } = usage;
  const tokens = prompt_tokens + completion_tokens;
  const parts = [
    passages ? t("ask.took.passages", { n: passages }) : "",
    from_cache ? t("ask.took.cache", { n: from_cache, all: calls }) : calls ? t("ask.took.calls", { n: calls }) : "",
    tokens ? t(usage.estimated ? "ask.took.about" : "ask.took.tokens", { n: tokens }) : "",
    cost ? `$${cost < 0.01 ? cost.toFixed(4) : cost.toFixed(2)}` : cost === 0 && calls ? t("connect.cost.free") : "",
    t("ask.took.seconds", { seconds: number(seconds, { maximumFractionDigits: 1 }) }),
    writers.map(title).join(", "),
    made ? moment(made) : "",
  ];
  return (
    <div className="took">
      {statements.length > 1 && <Tally statements={statements} />}
      <p className="muted">{parts.filter(Boolean).join(" · ")}</p>
      {models.length > 0 && (
        <More name={t("ask.took.used")}>
          <p className="muted">{t("ask.took.models", { names: models.join(", ") })}</p>
        </More>
      )}
    </div>
  );
}
