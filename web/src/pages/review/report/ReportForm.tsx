/** Begins a report: its question, how many sections, and whether it is written or only outlined. */
import { useState } from "react";
import { useWords } from "../../../i18n";
import type { FormProps } from "../Part";
import { Which, type WhichPapers } from "../Which";

export function ReportForm({ isBusy, onBegin }: FormProps) {
  const { t } = useWords();
  const [question, setQuestion] = useState("");
  const [sections, setSections] = useState(8);
  const [isOutline, setOutline] = useState(false);
  const [hasFigures, setFigures] = useState(false);
  const [which, choose] = useState<WhichPapers>({});
  return (
    <form
      className="card asking"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ question: question.trim(), sections, outline: isOutline, figures: hasFigures, ...which });
      }}
    >
      <label className="above">
        {t("report.question")}
        <input value={question} maxLength={2000} onChange={(event) => setQuestion(event.target.value)} placeholder={t("report.example")} autoComplete="off" />
      </label>
      <div className="fields">
        <label className="above">
          {t("report.sections")}
          <input type="number" min={1} max={20} value={sections} onChange={(event) => setSections(Math.min(20, Math.max(1, Number(event.target.value) || 1)))} />
        </label>
        <label className="check">
          <input type="checkbox" checked={isOutline} onChange={(event) => setOutline(event.target.checked)} />
          {t("report.outline")}
        </label>
        <label className="check">
          <input type="checkbox" checked={hasFigures} onChange={(event) => setFigures(event.target.checked)} />
          {t("report.figures")}
        </label>
      </div>
      <Which which={which} onChange={choose} />
      <button type="submit" className="primary" disabled={isBusy || !question.trim()}>
        {t("report.begin")}
      </button>
    </form>
  );
}
