/** The level that was reached, on the scale of seven, and how it follows. */
import { Download, Scale } from "lucide-react";
import type { Consensus } from "../../api/types";
import { type Key, number, useWords } from "../../i18n";
import { save } from "../../parts/save";
import { countsOf, LEVELS, type Level, STANCES, wordOf } from "./survey";
import { useModelTitles } from "../../parts/modelTitles";
import { Remedy } from "../../parts/Remedy";

const levelWord = (level: Level) => `consensus.${level.toLowerCase().replaceAll(" ", "_")}` as Key;
/** How each level is drawn: towards disagreement, none, towards agreement. */
const SIDES = ["against", "against", "against", "between", "towards", "towards", "towards"];

export function Outcome({ consensus }: { consensus: Consensus }) {
  const { t } = useWords();
  const title = useModelTitles(consensus.models);
  const { level, reason, explanation, balance, note } = consensus;
  return (
    <section className="card outcome" aria-label={t("consensus.outcome")}>
      <div className="head">
        <h2>
          <Scale size={20} aria-hidden /> {t(level ? levelWord(level) : "consensus.no_level")}
        </h2>
        <button type="button" onClick={() => save("consensus.json", new Blob([JSON.stringify(consensus, null, 2)], { type: "application/json" }))}>
          <Download size={16} aria-hidden /> JSON
        </button>
      </div>
      <ScaleOfSeven level={level} />
      {reason && (
        <p>
          <Remedy text={reason} />
        </p>
      )}
      {explanation && <p className="explanation">{explanation}</p>}
      <Shares consensus={consensus} />
      <details>
        <summary>{t("consensus.rule")}</summary>
        <p>{t("consensus.rule_text")}</p>
        {balance !== null && <p>{t("consensus.balance", { balance: formatSigned(balance) })}</p>}
      </details>
      {note && (
        <p className="muted">
          <Remedy text={note} />
        </p>
      )}
      <p className="muted">{t("consensus.models", { models: consensus.models.map(title).join(", ") })}</p>
    </section>
  );
}

const formatSigned = (value: number) => number(value, { signDisplay: "exceptZero", maximumFractionDigits: 2 });

function ScaleOfSeven({ level }: { level: Level | null }) {
  const { t } = useWords();
  return (
    <ol className="scale" aria-label={t("consensus.scale")}>
      {LEVELS.map((step, at) => (
        <li key={step} className={SIDES[at]} aria-current={step === level || undefined}>
          <span className="step" aria-hidden />
          <span className="name">{t(levelWord(step))}</span>
        </li>
      ))}
    </ol>
  );
}

/** How many papers say what, as a bar and in words. */
function Shares({ consensus }: { consensus: Consensus }) {
  const { t } = useWords();
  const counts = countsOf(consensus.stances);
  return (
    <div className="shares">
      <div className="bar" aria-hidden>
        {STANCES.map((kind) => counts[kind] > 0 && <span key={kind} data-stance={kind} style={{ flexGrow: counts[kind] }} />)}
      </div>
      <ul>
        {STANCES.map((kind) => (
          <li key={kind}>
            <span className="dot" data-stance={kind} aria-hidden />
            {t(wordOf(kind))} <strong>{counts[kind]}</strong>
          </li>
        ))}
        {consensus.unjudged.length > 0 && (
          <li>
            {t("consensus.unjudged")} <strong>{consensus.unjudged.length}</strong>
          </li>
        )}
      </ul>
    </div>
  );
}
