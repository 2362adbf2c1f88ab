import { CircleAlert } from "lucide-react";
import { useWords } from "../i18n";
import { describeError, Place, Remedy } from "./Remedy";

/** What failed, and what to do about it. */
export function Trouble({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { t } = useWords();
  const { what, hint, place } = describeError(error, t);
  return (
    <div className="trouble" role="alert">
      <CircleAlert size={20} aria-hidden />
      <div>
        <p>
          <Remedy text={what} />
        </p>
        {hint && (
          <p className="muted">
            <Remedy text={hint} />
          </p>
        )}
        {(onRetry || place) && (
          <p className="remedies">
            {onRetry && (
              <button type="button" onClick={onRetry}>
                {t("again")}
              </button>
            )}
            <Place place={place} />
          </p>
        )}
      </div>
    </div>
  );
}
