import { Sparkles } from "lucide-react";
import { Link } from "wouter";
import { Problem } from "../api/client";
import { useWords } from "../i18n";
import "./NoModel.css";
import { Coded } from "./Remedy";
import { Trouble } from "./Trouble";

/** Where a model is chosen. */
export const MODEL_SETTING = "/settings?q=language.model";
const AT_START = "conspectus --set language.model=ollama:llama3.1 serve";

/** What failed; where it is that there is no language model, how one is set. */
export function NeedsModel({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useWords();
  if (!(error instanceof Problem) || error.kind !== "UnavailableError") return <Trouble error={error} onRetry={onRetry} />;
  return (
    <div className="card no-model" role="alert">
      <h2>
        <Sparkles size={18} aria-hidden /> {t("model.none")}
      </h2>
      <p>
        <Coded text={error.message} />
      </p>
      <p>{t("model.how")}</p>
      <pre>
        <code>{AT_START}</code>
      </pre>
      <p className="muted">
        <Coded text={t("model.where")} /> <Link href={MODEL_SETTING}>{t("model.settings")}</Link>
      </p>
    </div>
  );
}
