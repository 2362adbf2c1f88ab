/** Begins a classification, or classifies again by other categories and more examples. */
import { useState } from "react";
import { useWords } from "../../../i18n";
import { TextFile } from "../TextFile";
import type { FormProps } from "../Part";
import { Which, whichOf, type WhichPapers } from "../Which";
import { categoriesOf, readCategories, tomlOf, writeCategories } from "./categories";

export function ClassifyForm({ review, isBusy, onBegin }: FormProps) {
  const { t } = useWords();
  const [text, setText] = useState(review ? writeCategories(categoriesOf(review)) : "");
  const [name, setName] = useState(review?.name ?? "");
  const [isSeveral, setSeveral] = useState(Boolean((review?.spec as { several?: boolean } | undefined)?.several));
  const [examples, setExamples] = useState("");
  const [which, choose] = useState<WhichPapers>(() => whichOf(review));
  const categories = readCategories(text);
  return (
    <form
      className="card asking"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ categories_text: tomlOf(categories), examples_text: examples, several: isSeveral, name: name.trim() || categories.map((category) => category.name).join(", ").slice(0, 100), ...which, limit: 1 });
      }}
    >
      <label className="above">
        {t("classify.categories")}
        <textarea rows={5} value={text} onChange={(event) => setText(event.target.value)} placeholder={t("classify.example")} aria-describedby="categories-hint" />
      </label>
      <p id="categories-hint" className="muted">
        {t("classify.hint")}
      </p>
      <label className="check">
        <input type="checkbox" checked={isSeveral} onChange={(event) => setSeveral(event.target.checked)} />
        {t("classify.several")}
      </label>
      <TextFile label={t("classify.examples")} hint={t("classify.labels.hint")} accept=".csv,text/csv" onText={setExamples} />
      {!review && (
        <label className="above">
          {t("reviews.name")}
          <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} placeholder={t("classify.name.usual")} autoComplete="off" />
        </label>
      )}
      <Which which={which} onChange={choose} />
      <button type="submit" className="primary" disabled={isBusy || !categories.length}>
        {t("classify.begin")}
      </button>
    </form>
  );
}
