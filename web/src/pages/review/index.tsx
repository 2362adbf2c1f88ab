/** Reviews: papers ranked, classified, screened, tabulated and reported; each judgement leads to its sentence. */
import { Link, useLocation } from "wouter";
import { useWords } from "../../i18n";
import { Part } from "./Part";
import { Reports } from "./report/Reports";
import "./review.css";
import { KINDS, kindAt } from "./reviews";

export default function ReviewPage() {
  const { t } = useWords();
  const kind = kindAt(useLocation()[0]);
  return (
    <div className="page wide review">
      <header className="top">
        <h1>{t("page.review")}</h1>
        <nav className="tabs" aria-label={t("reviews.views")}>
          {KINDS.map((one) => (
            <Link key={one} href={`/review/${one}`} aria-current={kind === one ? "page" : undefined}>
              {t(`reviews.${one}`)}
            </Link>
          ))}
        </nav>
      </header>
      {kind === "report" ? <Reports /> : <Part key={kind} kind={kind} />}
    </div>
  );
}
