/** A report: its sections, where papers disagree, the papers compared, and what it rests on. */
import { Download } from "lucide-react";
import { address, reach } from "../../../api/client";
import type { KeptReview, Report } from "../../../api/types";
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
import { anchorOf, useReport } from "./reporting";
import { Section } from "./Section";

const FORMATS = { md: "Markdown", html: "HTML", docx: "Word", tex: "LaTeX", bib: "BibTeX", ris: "RIS", csv: "CSV" } as const;

export function ReportView({ review }: { review: KeptReview }) {
  const { t } = useWords();
  const { data, error, refetch } = useReport(review.id);
  if (error) return <Trouble error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  const file = async (to: string) => (await reach(address(pathOf("report", review.id, "/file"), { to }))).blob();
  return (
    <div className="report">
      <nav className="outline" aria-label={t("report.contents")}>
        <ol>
          {data.sections.map((one) => (
            <li key={one.number}>
              <a href={`#${anchorOf(one)}`}>{one.title}</a>
            </li>
          ))}
        </ol>
        <Menu name={t("export")} icon={Download}>
          {Object.entries(FORMATS).map(([to, name]) => (
            <button key={to} type="button" onClick={() => void file(to).then((made) => save(`${review.name}.${to}`, made), toastError)}>
              {name}
            </button>
          ))}
        </Menu>
      </nav>
      <div>
        <h2>{data.question}</h2>
        <Coverage report={data} />
        {data.sections.map((one) => (
          <Section key={one.number} id={review.id} section={one} />
        ))}
        {data.disagreements.length > 0 && (
          <section>
            <h2>{t("report.disagreements")}</h2>
            <Pairs pairs={data.disagreements} />
          </section>
        )}
        <Compared report={data} />
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
function Compared({ report: { papers, sections } }: { report: Report }) {
  const { t } = useWords();
  const { open } = useReading();
  const titles = new Map(sections.map((one) => [one.number, one.title]));
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
            {papers.map((one) => (
              <tr key={one.paper.id}>
                <th scope="row">
                  <button type="button" className="link" onClick={() => open({ paper: one.paper.id })}>
                    {titleOf(one.paper)}
                  </button>
                  <small className="muted">{one.label}</small>
                </th>
                <td className="quote">
                  {one.main.quote} <CitationChip citation={one.main} />
                </td>
                <td>{one.sections.map((number) => titles.get(number) ?? number).join("; ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
