/** Before anything is known of entities: subjects that stand in the same papers, each leading to a search. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { get } from "../../api/call";
import { address } from "../../api/client";
import type { components } from "../../api/schema";
import { useWords } from "../../i18n";

type Overview = components["schemas"]["SubjectsTogetherResult"];

export const useSubjectsTogether = () =>
  useQuery({ queryKey: ["subjects", "together"], queryFn: ({ signal }) => get<Overview>(address("/subjects/together", { most: 6 }), signal) });

const searchOf = (...subjects: string[]) => `/search?${new URLSearchParams({ q: subjects.map((subject) => `"${subject}"`).join(" ") })}`;

/** Nothing, where the library has too few papers to say. */
export function Subjects({ overview }: { overview: Overview }) {
  const { t } = useWords();
  if (!overview.subjects.length) return null;
  return (
    <section className="together" aria-labelledby="together">
      <h2 id="together">{t("graph.subjects")}</h2>
      <p className="muted">{t("graph.subjects.how")}</p>
      <ul>
        {overview.subjects.map((row) => (
          <li key={row.subject}>
            <p>
              <Link href={searchOf(row.subject)}>{row.subject}</Link> <span className="muted">{t("search.found", { n: row.papers })}</span>
            </p>
            <p className="chips">
              {row.neighbours.map(({ value, papers }) => (
                <Link key={value} className="chip" href={searchOf(row.subject, value)} aria-label={t("graph.subjects.both", { one: row.subject, other: value, n: papers })}>
                  {value} <span className="muted">{papers}</span>
                </Link>
              ))}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
