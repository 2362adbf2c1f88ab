import type { Paper } from "../api/types";
import { useWords } from "../i18n";

type Status = NonNullable<Paper["publication_status"]>;
const GRAVE: readonly Status[] = ["retracted", "concern"];

/** What became of a paper after its publication: of a retracted or doubted one everywhere, else only `isWhole`. */
export function StatusBadge({ status, isWhole }: { status?: Status; isWhole?: boolean }) {
  const { t } = useWords();
  if (!status || (!isWhole && !GRAVE.includes(status))) return null;
  return <span className={`badge${GRAVE.includes(status) ? " bad" : ""}`}>{t(`status.${status}`)}</span>;
}
