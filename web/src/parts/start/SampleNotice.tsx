import { FlaskConical } from "lucide-react";
import { useWords } from "../../i18n";
import { IfWritable } from "../../shell/health";
import "./start.css";
import { useHasSamples, useRemoveSamples } from "./samples";

/** That the library has sample papers, and a button that removes them. */
export function SampleNotice() {
  const { t } = useWords();
  const removal = useRemoveSamples();
  if (!useHasSamples()) return null;
  return (
    <IfWritable>
      <p className="sample-notice">
        <FlaskConical size={16} aria-hidden />
        <span>{t("samples.there")}</span>
        <button type="button" className="link" disabled={removal.isPending} onClick={() => removal.mutate()}>
          {t(removal.isPending ? "samples.removing" : "samples.remove")}
        </button>
      </p>
    </IfWritable>
  );
}
