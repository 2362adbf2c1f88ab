import { useWords } from "../i18n";

/** Something is on its way. */
export function Loading({ what }: { what?: string }) {
  const { t } = useWords();
  return (
    <p className="loading" role="status">
      <span className="spinner" aria-hidden />
      {what ?? t("loading")}
    </p>
  );
}
