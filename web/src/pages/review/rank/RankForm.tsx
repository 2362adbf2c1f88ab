/** Begins a ranking: by what, of which papers, and who judges the pairs. */
import { useState } from "react";
import { useWords } from "../../../i18n";
import type { FormProps } from "../Part";
import { Which, type WhichPapers } from "../Which";

export function RankForm({ isBusy, onBegin }: FormProps) {
  const { t } = useWords();
  const [by, setBy] = useState("");
  const [budget, setBudget] = useState("");
  const [name, setName] = useState("");
  const [isMine, setMine] = useState(false);
  const [which, choose] = useState<WhichPapers>({});
  return (
    <form
      className="card asking"
      onSubmit={(event) => {
        event.preventDefault();
        onBegin({ by: by.trim(), name, begin: isMine, ...(budget ? { budget: Number(budget) } : {}), ...which });
      }}
    >
      <label className="above">
        {t("rank.by")}
        <input value={by} maxLength={2000} onChange={(event) => setBy(event.target.value)} placeholder={t("rank.by.example")} autoComplete="off" />
      </label>
      <fieldset className="which">
        <legend>{t("rank.judge")}</legend>
        <label className="check">
          <input type="radio" name="judge" checked={!isMine} onChange={() => setMine(false)} /> {t("rank.judge.model")}
        </label>
        <label className="check">
          <input type="radio" name="judge" checked={isMine} onChange={() => setMine(true)} /> {t("rank.judge.me")}
        </label>
      </fieldset>
      <div className="fields">
        <label className="above">
          {t("rank.budget")}
          <input type="number" min={1} max={100_000} value={budget} onChange={(event) => setBudget(event.target.value)} placeholder={t("rank.budget.usual")} />
        </label>
        <label className="above">
          {t("reviews.name")}
          <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} placeholder={t("rank.name.usual")} autoComplete="off" />
        </label>
      </div>
      <Which which={which} onChange={choose} />
      <p className="muted">{t("rank.hidden")}</p>
      <button type="submit" className="primary" disabled={isBusy || !by.trim()}>
        {t("rank.begin")}
      </button>
    </form>
  );
}
