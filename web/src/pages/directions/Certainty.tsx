/** A mark on the label of a direction that was not tested, or that hardly tells its papers from others. */
import { useWords } from "../../i18n";

/** AUC below which a label is not to be trusted without its sentences. */
const SURE = 0.8;

export function Certainty({ of: direction }: { of: { auc: number | null } | undefined }) {
  const { t } = useWords();
  if (!direction || (direction.auc !== null && direction.auc >= SURE)) return null;
  return <span className="badge warn">{t(direction.auc === null ? "directions.untested" : "directions.unsure")}</span>;
}
