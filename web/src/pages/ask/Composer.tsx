import { Lock, SendHorizontal, SlidersHorizontal, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import { type Key, useWords } from "../../i18n";
import { useReadOnly } from "../../shell/health";
import { useKeys } from "../../shell/keys";
import { changedNames, limits, type Options, removeLimit } from "./options";
import { OptionsPanel } from "./OptionsPanel";

/** Characters of a question. */
const MOST = 4000;

interface Props {
  question: string;
  onQuestion: (question: string) => void;
  options: Options;
  onOptions: (options: Options) => void;
  onAsk: () => void;
  isBusy?: boolean;
  isFollowUp?: boolean;
}

/** The box for a question; Enter asks, Shift+Enter begins a line. Behind a button: how it is to be answered. */
export function Composer({ question, onQuestion, options, onOptions, onAsk, isBusy, isFollowUp }: Props) {
  const { t } = useWords();
  const isReadOnly = useReadOnly();
  const [isOpen, open] = useState(false);
  const [isCut, cut] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const panel = useId();
  useKeys([{ keys: "/", does: "ask.key.box", run: () => box.current?.focus() }]);
  const count = changedNames(options).length;
  const canAsk = !!question.trim() && !isBusy;
  if (isReadOnly)
    return (
      <p className="note">
        <Lock size={16} aria-hidden />
        <span>
          {t("ask.read_only")} <Link href="/search">{t("page.search")}</Link>
        </span>
      </p>
    );
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (canAsk) onAsk();
      }}
    >
      <div className="ask-box">
        <textarea
          ref={box}
          value={question}
          rows={isFollowUp ? 1 : 2}
          maxLength={MOST}
          placeholder={t(isFollowUp ? "ask.follow" : "ask.placeholder")}
          aria-label={t("ask.box")}
          onPaste={({ clipboardData, currentTarget: { value, selectionStart, selectionEnd } }) =>
            cut(value.length - (selectionEnd - selectionStart) + clipboardData.getData("text").length > MOST)
          }
          onChange={(event) => {
            if (event.target.value.length < MOST) cut(false);
            onQuestion(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            if (canAsk) onAsk();
          }}
        />
        <div className="ask-tools">
          <button type="button" className="plain" aria-expanded={isOpen} aria-controls={panel} onClick={() => open(!isOpen)}>
            <SlidersHorizontal size={16} aria-hidden />
            {t("ask.options")}
            {count > 0 && <span className="badge">{count}</span>}
          </button>
          <span className="muted hint">{t("ask.enter")}</span>
          <button type="submit" className="primary" disabled={!canAsk}>
            <SendHorizontal size={16} aria-hidden />
            {t("ask.do")}
          </button>
        </div>
      </div>
      <p className="muted" role="status">
        {isCut && t("ask.box.cut", { n: MOST })}
      </p>
      {!isOpen && <Limits options={options} onChange={onOptions} />}
      <div id={panel} hidden={!isOpen}>
        {isOpen && <OptionsPanel question={question} options={options} onChange={onOptions} />}
      </div>
    </form>
  );
}

/** What limits the question to some papers, to be seen, and taken away, also where the panel is closed. */
function Limits({ options, onChange }: { options: Options; onChange: (options: Options) => void }) {
  const { t } = useWords();
  const all = limits(options);
  if (!all.length) return null;
  return (
    <ul className="limits" aria-label={t("ask.limits")}>
      {all.map(([name, value]) => {
        const usual = () => `${t(`ask.${name}` as Key)}: ${value}`;
        const label = name === "full_text" ? t(`ask.full_text.${value}` as Key) : name === "among" ? t("among", { n: Number(value) }) : usual();
        return (
          <li key={name + value}>
            <span className="badge">{label}</span>
            <button
              type="button"
              className="plain"
              aria-label={t("ask.limits.without", { name: label })}
              onClick={() => onChange(removeLimit(options, name, value))}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
