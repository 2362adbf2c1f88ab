import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, MessageSquare, ThumbsDown, ThumbsUp } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { api, body } from "../../api/client";
import type { Feedback } from "../../api/types";
import { useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { dropDraft, useDraft } from "../../parts/draft";
import { Menu } from "../../parts/Menu";
import { toast, toastError } from "../../parts/toast";

type Judgement = Pick<Feedback, "verdict" | "comment">;
const THUMBS = { up: ThumbsUp, down: ThumbsDown } as const;

/** What somebody thinks of an answer, or of one of its statements, the first of which is 1: a thumb, a comment, in one menu. */
export function FeedbackMenu({ answer, statement = 0 }: { answer: string; statement?: number }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const of = statement ? "statement" : "answer";
  const [isOpen, open] = useState(false);
  const queryKey = ["feedback", answer];
  const look = async () => {
    const response = await body(api.GET("/api/v1/feedback", { params: { query: { answer } } }));
    return (response as unknown as { feedback: Feedback[] }).feedback;
  };
  const feedbackQuery = useQuery({ queryKey, queryFn: look });
  const last = (all?: Feedback[]): Judgement => all?.find((entry) => entry.statement === statement) ?? { verdict: "", comment: "" };
  const [wished, wish] = useState<Judgement>();
  const judgement: Judgement = wished ?? last(feedbackQuery.data);
  const sent = useRef<Promise<unknown>>(Promise.resolve());
  /** What is not given stays as it was; they go one after the other, so that the last stands. */
  const judge = async (change: Partial<Judgement>) => {
    wish({ verdict: judgement.verdict, comment: judgement.comment, ...change });
    const params = { path: { name: answer } };
    const post = () => api.POST("/api/v1/answers/{name}/feedback", { params, body: { ...change, statement } });
    try {
      const sending = (sent.current = sent.current.catch(() => undefined).then(post));
      await sending;
      await queries.invalidateQueries({ queryKey });
      if (sent.current === sending) wish(undefined);
      return true;
    } catch (error) {
      wish(undefined);
      toastError(error as Error);
      return false;
    }
  };
  const remark = async (comment: string) => {
    const isKept = await judge({ comment });
    if (isKept) {
      open(false);
      toast(t("ask.judge.kept"));
    }
    return isKept;
  };
  const Icon = judgement.verdict ? THUMBS[judgement.verdict] : judgement.comment ? MessageSquare : Ellipsis;
  return (
    <span className={judgement.verdict || judgement.comment ? "judging is-judged" : "judging"}>
      <Menu name={t(`ask.judge.${of}`)} icon={Icon} isQuiet>
        {(["up", "down"] as const).map((verdict) => {
          const Thumb = THUMBS[verdict];
          const isOn = judgement.verdict === verdict;
          return (
            <button key={verdict} type="button" aria-pressed={isOn} onClick={() => judge({ verdict: isOn ? "" : verdict })}>
              <Thumb size={15} fill={isOn ? "currentColor" : "none"} aria-hidden />
              {t(`ask.judge.${of}.${verdict}`)}
            </button>
          );
        })}
        <button type="button" aria-pressed={!!judgement.comment} onClick={() => open(true)}>
          <MessageSquare size={15} fill={judgement.comment ? "currentColor" : "none"} aria-hidden />
          {t(`ask.judge.${of}.comment`)}
        </button>
      </Menu>
      {isOpen && (
        <Dialog isOpen onClose={() => open(false)} title={t(`ask.judge.${of}.comment`)}>
          <Remark of={`remark.${answer}.${statement}`} saved={judgement.comment} onSave={remark} onDrop={() => open(false)} />
        </Dialog>
      )}
    </span>
  );
}

interface RemarkProps {
  of: string;
  saved: string;
  /** Whether it was kept. */
  onSave: (comment: string) => Promise<boolean>;
  onDrop: () => void;
}

/** What is written here stays until it is kept or dropped, also where the dialog is closed. */
function Remark({ of, saved, onSave, onDrop }: RemarkProps) {
  const { t } = useWords();
  const { text, isDraft, write, drop } = useDraft(of, saved);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSave(text.trim())) dropDraft(of);
  };
  return (
    <form onSubmit={save} className="rename">
      <label className="field">
        <span>{t("ask.judge.what")}</span>
        <textarea rows={4} value={text} maxLength={4000} onChange={(event) => write(event.target.value)} />
      </label>
      {isDraft && <p className="muted">{t("draft.kept")}</p>}
      <div className="doing">
        <button type="submit" className="primary">
          {t("ask.judge.keep")}
        </button>
        {isDraft && (
          <button
            type="button"
            onClick={() => {
              drop();
              onDrop();
            }}
          >
            {t("draft.drop")}
          </button>
        )}
      </div>
    </form>
  );
}
