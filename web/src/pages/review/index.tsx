/** Reviews: papers ranked, classified, screened, tabulated and reported; each judgement leads to its sentence. */
import { useLocation } from "wouter";
import { useWords } from "../../i18n";
import { Part } from "./Part";
import { Reports } from "./report/Reports";
import "./review.css";
import { kindAt } from "./reviews";

export default function ReviewPage() {
  const { t } = useWords();
  const kind = kindAt(useLocation()[0]);
  return (
    <div className="page wide review">
      <h1>{t(`reviews.${kind}`)}</h1>
      {kind === "report" ? <Reports /> : <Part key={kind} kind={kind} />}
    </div>
  );
}
