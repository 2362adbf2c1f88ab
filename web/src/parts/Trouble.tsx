import { CircleAlert } from "lucide-react";
import { Problem } from "../api/client";
import { useWords } from "../i18n";

/** What failed, and what to do about it. */
export function Trouble({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useWords();
  const hint = error instanceof Problem ? error.hint : t("trouble.own");
  return (
    <div className="trouble" role="alert">
      <CircleAlert size={20} aria-hidden />
      <div>
        <p>{error.message}</p>
        {hint && <p className="muted">{hint}</p>}
        {onRetry && (
          <button type="button" onClick={onRetry}>
            {t("again")}
          </button>
        )}
      </div>
    </div>
  );
}
