import { Sparkles } from "lucide-react";
import { Problem } from "../api/client";
import { useWords } from "../i18n";
import { ConnectModel } from "./connect/ConnectModel";
import { useHasModel } from "./connect/modelConnection";
import "./NoModel.css";
import { Remedy } from "./Remedy";
import { Trouble } from "./Trouble";

/** What failed; where it is that there is no language model, how one is connected. */
export function NeedsModel({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useWords();
  const hasModel = useHasModel();
  if (!(error instanceof Problem) || error.kind !== "UnavailableError") return <Trouble error={error} onRetry={onRetry} />;
  return (
    <div className="card no-model" role="alert">
      <h2>
        <Sparkles size={18} aria-hidden /> {t("model.none")}
      </h2>
      <p>
        <Remedy text={error.message} />
      </p>
      <p className="remedies">
        <ConnectModel />
        {hasModel && onRetry && (
          <button type="button" onClick={onRetry}>
            {t("again")}
          </button>
        )}
      </p>
    </div>
  );
}

/** Says before anything is begun, where no language model is set, that it needs one; with `without`: what it does without one. */
export function ModelFirst({ what, without }: { what?: string; without?: string }) {
  const { t } = useWords();
  if (useHasModel() !== false) return null;
  return (
    <div className="card no-model">
      <p>
        <Sparkles size={18} aria-hidden /> <strong>{t(without ? "model.optional" : "model.none")}.</strong> {without ?? what}
      </p>
      <p>
        <ConnectModel />
      </p>
    </div>
  );
}
