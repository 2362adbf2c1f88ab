/** What of a file could not be used, and why. */
import { useWords } from "../../i18n";

export function Failures({ failed }: { failed: Record<string, string> }) {
  const { t } = useWords();
  const all = Object.entries(failed);
  if (!all.length) return null;
  return (
    <details>
      <summary>{t("reviews.failed", { n: all.length })}</summary>
      <ul>
        {all.map(([what, why]) => (
          <li key={what}>
            {what}: {why}
          </li>
        ))}
      </ul>
    </details>
  );
}
