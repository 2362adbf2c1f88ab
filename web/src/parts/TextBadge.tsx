/** How much of a paper there is to read, if it is not its full text. */
import { useWords } from "../i18n";

export type Extent = "full" | "abstract" | "title";

export const extentOf = (paper: { has_full_text?: boolean; abstract?: string }): Extent =>
  paper.has_full_text ? "full" : paper.abstract ? "abstract" : "title";

export function TextBadge({ extent, isWarning }: { extent: Extent; isWarning?: boolean }) {
  const { t } = useWords();
  if (extent === "full") return null;
  return <span className={`badge${isWarning ? " warn" : ""}`}>{t(`extent.${extent}`)}</span>;
}
