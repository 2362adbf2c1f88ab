import { Check, CircleDashed, CircleHelp, CircleX, type LucideIcon, Quote } from "lucide-react";
import type { ReactNode } from "react";
import type { Citation, Mention, Statement } from "../../api/types";
import { type Key, useWords } from "../../i18n";
import { CitationChip } from "../../parts/CitationChip";
import { EntityChips } from "../../parts/EntityChips";
import { useMentions } from "../../parts/entities";
import { IfWritable } from "../../shell/health";
import { keyOf, labelsOf, sourcesOf } from "./citations";
import { FeedbackMenu } from "./FeedbackMenu";
import { tex } from "../../parts/tex";

type Status = Statement["status"];
/** What a statement's status looks like, and its word; never by colour alone. */
export const STATUSES: Record<Status, { icon: LucideIcon; word: Key; look: "" | "good" | "warn" | "bad" }> = {
  quoted: { icon: Quote, word: "ask.quoted", look: "" },
  supported: { icon: Check, word: "ask.supported", look: "good" },
  partly: { icon: CircleDashed, word: "ask.partly", look: "warn" },
  unsupported: { icon: CircleX, word: "ask.unsupported", look: "bad" },
  unchecked: { icon: CircleHelp, word: "ask.unchecked", look: "warn" },
};

/** Statements, each with its citations, what the check says of it, and why; those of a kept answer can be judged. */
export function Statements({ statements, answer = "" }: { statements: readonly Statement[]; answer?: string }) {
  const spoken = useMentions(answer ? statements.flatMap(spansOf) : []);
  const labels = labelsOf(sourcesOf(statements));
  return (
    <ol className="statements">
      {statements.map((statement, at) => (
        <StatementItem key={at} statement={statement} labels={labels} mentions={spansOf(statement).flatMap((span) => spoken.get(span) ?? [])} judging={answer && <StatementFeedback answer={answer} statement={at + 1} />} />
      ))}
    </ol>
  );
}

const StatementFeedback = (props: { answer: string; statement: number }) => (
  <IfWritable>
    <FeedbackMenu {...props} />
  </IfWritable>
);

const spansOf = ({ citations = [] }: Statement) => citations.flatMap((citation) => citation.spans.map((span) => span.id));

interface StatementItemProps {
  statement: Statement;
  /** What citations are called. */
  labels: Map<string, string>;
  mentions: Mention[];
  judging: ReactNode;
}

function StatementItem({ statement, labels, mentions, judging }: StatementItemProps) {
  const { t } = useWords();
  const { icon: Icon, word, look } = STATUSES[statement.status];
  const citations = statement.citations ?? [];
  const chip = (citation: Citation, at: number) => <CitationChip key={at} citation={citation} label={labels.get(keyOf(citation))} />;
  // no number stands at the beginning of a line
  const [, words, last] = /^(.*?)(\S*)$/s.exec(tex(statement.text))!;
  return (
    <li className={`statement ${statement.status}`} tabIndex={-1} data-stop>
      <p className="said">
        {words}
        <span className="last">
          {last}
          {citations.slice(0, 1).map(chip)}
        </span>
        {citations.slice(1).map(chip)}
      </p>
      <div className="foot">
        <span className={`verdict ${look}`}>
          <Icon size={14} aria-hidden />
          {t(word)}
        </span>
        {!citations.length && <span className="muted">{t("ask.nosource")}</span>}
        {judging}
      </div>
      <EntityChips mentions={mentions} />
      {statement.why && <p className="why">{statement.why}</p>}
    </li>
  );
}

/** How many statements have which status, the doubtful ones too: "6 supported, 2 not supported". */
export function Tally({ statements }: { statements: readonly Statement[] }) {
  const { t } = useWords();
  const names = Object.keys(STATUSES) as Status[];
  const counts = names.map((name) => [name, statements.filter((statement) => statement.status === name).length] as const);
  return (
    <p className="tally">
      {counts
        .filter(([, count]) => count)
        .map(([name, count]) => {
          const { icon: Icon, word, look } = STATUSES[name];
          return (
            <span key={name} className={`verdict ${look}`}>
              <Icon size={14} aria-hidden />
              {count} {t(word)}
            </span>
          );
        })}
    </p>
  );
}
