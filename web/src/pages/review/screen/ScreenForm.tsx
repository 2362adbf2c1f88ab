/** Begins a screening, or changes the criteria of one. */
import { useState } from "react";
import { useWords } from "../../../i18n";
import type { FormProps } from "../Part";
import { Which, whichOf, type WhichPapers } from "../Which";
import { criteriaOf, linesOf, readReasons, tomlOf, writeReasons } from "./screening";

export function ScreenForm({ review, isBusy, onBegin }: FormProps) {
  const { t } = useWords();
  const before = criteriaOf(review);
  const [question, setQuestion] = useState(before.question);
  const [include, setInclude] = useState(before.include.join("\n"));
  const [exclude, setExclude] = useState(writeReasons(before.exclude));
  const [reviewers, setReviewers] = useState(before.reviewers);
  const [decides, setDecides] = useState(before.decides);
  const [name, setName] = useState(review?.name ?? "");
  const [which, choose] = useState<WhichPapers>(() => whichOf(review));
  const criteria = { question: question.trim(), include: linesOf(include), exclude: readReasons(exclude), reviewers, decides: decides.trim() };
  return (
    <form
      className="card asking"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ criteria_text: tomlOf(criteria), name: name.trim() || criteria.question.slice(0, 100) || criteria.include[0]?.slice(0, 100), ...which });
      }}
    >
      <label className="above">
        {t("screen.question")}
        <input value={question} onChange={(event) => setQuestion(event.target.value)} placeholder={t("screen.question.example")} autoComplete="off" />
      </label>
      <label className="above">
        {t("screen.includes")}
        <textarea rows={3} value={include} onChange={(event) => setInclude(event.target.value)} placeholder={t("screen.includes.example")} />
      </label>
      <label className="above">
        {t("screen.excludes")}
        <textarea rows={3} value={exclude} onChange={(event) => setExclude(event.target.value)} placeholder={t("screen.excludes.example")} />
      </label>
      <div className="fields">
        <label className="above">
          {t("screen.reviewers")}
          <input type="number" min={1} max={20} value={reviewers} onChange={(event) => setReviewers(Math.min(20, Math.max(1, Number(event.target.value) || 1)))} />
        </label>
        {reviewers > 1 && (
          <label className="above">
            {t("screen.decides")}
            <input value={decides} onChange={(event) => setDecides(event.target.value)} placeholder={t("screen.decides.usual")} autoComplete="off" />
          </label>
        )}
        {!review && (
          <label className="above">
            {t("reviews.name")}
            <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} placeholder={t("screen.name.usual")} autoComplete="off" />
          </label>
        )}
      </div>
      <Which which={which} onChange={choose} />
      <p className="muted">{t("screen.no_model")}</p>
      <button type="submit" className="primary" disabled={isBusy || !(criteria.question || criteria.include.length)}>
        {t(review ? "save" : "screen.begin")}
      </button>
    </form>
  );
}
