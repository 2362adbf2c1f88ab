/** Ends the program where it was started without a terminal, by `conspectus app`. */
import { Power } from "lucide-react";
import { address, reach } from "../api/client";
import { reportConnection } from "../api/connection";
import { useWords } from "../i18n";
import { confirm } from "../parts/confirm";
import { toastError } from "../parts/toast";
import { useQuits } from "./health";

export function Quit() {
  const { t } = useWords();
  if (!useQuits()) return null;
  const quit = async () => {
    if (!(await confirm({ title: t("quit.sure"), text: t("quit.jobs"), action: t("quit.action") }))) return;
    await reach(address("/quit"), { method: "POST" });
    reportConnection("ended");
    window.close(); // which browsers allow of a window of its own only
  };
  return (
    <button type="button" className="plain" onClick={() => void quit().catch(toastError)} aria-label={t("quit.action")} title={t("quit.action")}>
      <Power size={18} aria-hidden />
      <span>{t("quit.action")}</span>
    </button>
  );
}
