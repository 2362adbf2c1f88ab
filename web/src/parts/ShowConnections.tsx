import { Network } from "lucide-react";
import { useLocation } from "wouter";
import { useWords } from "../i18n";

const MOST = 20;
export const connectionsOf = (papers: readonly string[]) =>
  `/graph?${new URLSearchParams([["view", "connections"], ...papers.slice(0, MOST).map((id) => ["paper", id])])}`;

/** Leads from papers to the works around them by citations. */
export function ShowConnections({ papers }: { papers: readonly string[] }) {
  const { t } = useWords();
  const [, navigate] = useLocation();
  return (
    <button type="button" onClick={() => navigate(connectionsOf(papers))} disabled={papers.length > MOST}>
      <Network size={16} aria-hidden />
      {t("connections.show")}
    </button>
  );
}
