/** Reports, and the contradictions between papers. */
import { useWords } from "../../../i18n";
import { useParams } from "../../../parts/params";
import { Part } from "../Part";
import { Contradictions } from "./Contradictions";

export function Reports() {
  const { t } = useWords();
  const [params, change] = useParams();
  const isPairs = params.get("view") === "contradictions";
  return (
    <>
      <div className="views above-all" role="group" aria-label={t("reviews.report")}>
        <button type="button" className="quiet" aria-pressed={!isPairs} onClick={() => change({ view: null })}>
          {t("report.view")}
        </button>
        <button type="button" className="quiet" aria-pressed={isPairs} onClick={() => change({ view: "contradictions" })}>
          {t("contradictions.title")}
        </button>
      </div>
      {isPairs ? <Contradictions /> : <Part kind="report" />}
    </>
  );
}
