/** A report: its sections, where papers disagree, the papers compared, and what it rests on. */
import { Download } from "lucide-react";
import { address, reach } from "../../../api/client";
import type { StoredReview, Report } from "../../../api/types";
import { useWords } from "../../../i18n";
import { CitationChip } from "../../../parts/CitationChip";
import { Loading } from "../../../parts/Loading";
import { Menu } from "../../../parts/Menu";
import { titleOf } from "../../../parts/PaperLine";
import { Remedy } from "../../../parts/Remedy";
import { save } from "../../../parts/save";
import { toastError } from "../../../parts/toast";
import { Trouble } from "../../../parts/Trouble";
import { useReading } from "../../../reader/reading";
import { pathOf } from "../reviews";
import { Pairs } from "./Pairs";
import { anchorOf, useReport } from "./reportQueries";
import { Section } from "./Section";

const FORMATS = { md: "Markdown", html: "HTML", docx: "Word", tex: "LaTeX", bib: "BibTeX", ris: "RIS", csv: "CSV" } as const;

export function ReportView({ review }: { review: StoredReview }) {
  const { t } = useWords();
  const { data, error, refetch } = useReport(review.id);
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  const file = async (to: string) => (await reach(address(pathOf("report", review.id, "/file"), { to }))).blob();
  return (
    <div className="report">
      <nav className="outline" aria-label={t("report.contents")}>
        <ol>
          {data.sections.map((section) => (
            <li key={section.number}>
              <a href={`#${anchorOf(section)}`}>{section.title}</a>
            </li>
          ))}
        </ol>
        <Menu name={t("export")} icon={Download}>
          {Object.entries(FORMATS).map(([to, name]) => (
            <button key={to} type="button" onClick={() => void file(to).then((blob) => save(`${review.name}.${to}`, blob), toastError)}>
              {name}
            </button>
          ))}
        </Menu>
      </nav>
      <div>
        <h2>{data.question}</h2>
        <Coverage report={data} />
        {data.sections.map((section) => (
          <Section key={section.number} id={review.id} section={section} />
        ))}
        {data.disagreements.length > 0 && (
          <section>
            <h2>{t("report.disagreements")}</h2>
            <Pairs pairs={data.disagreements} />
          </section>
        )}
        <ComparisonTable report={data} />
      </div>
    </div>
  );
}

/** What the report rests on. */
function Coverage({ report: { coverage, note } }: { report: Report }) {
  const { t } = useWords();
  const { searched, found, read, abstract_only, left_out } = coverage;
  return (
    <p className="muted">
      {t("report.coverage", { searched, found, read })} {abstract_only > 0 && t("report.coverage.abstracts", { n: abstract_only })}{" "}
      {left_out > 0 && t("report.coverage.left_out", { n: left_out })} {note && <Remedy text={note} />}
    </p>
  );
}

/** The papers that are cited, with the sentence that is cited first. */
function ComparisonTable({ report: { papers, sections } }: { report: Report }) {
  const { t } = useWords();
  const { open } = useReading();
  const titles = new Map(sections.map((section) => [section.number, section.title]));
  if (!papers.length) return null;
  return (
    <section>
      <h2>{t("report.papers", { n: papers.length })}</h2>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("table.paper")}</th>
              <th scope="col">{t("report.says")}</th>
              <th scope="col">{t("report.cited_in")}</th>
            </tr>
          </thead>
          <tbody>
            {papers.map((citedPaper) => (
              <tr key={citedPaper.paper.id}>
                <th scope="row">
                  <button type="button" className="link" onClick={() => open({ paper: citedPaper.paper.id })}>
                    {titleOf(citedPaper.paper)}
                  </button>
                  <small className="muted">{citedPaper.label}</small>
                </th>
                <td className="quote">
                  {citedPaper.main.quote} <CitationChip citation={citedPaper.main} />
                </td>
                <td>{citedPaper.sections.map((number) => titles.get(number) ?? number).join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
