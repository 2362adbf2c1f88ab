import type { Paper } from "../api/types";
import { useReading } from "../reader/reading";
import { StatusBadge } from "./StatusBadge";
import { tex } from "./tex";

/** "Hafting and others", as a label has it. */
export function byline(paper: Pick<Paper, "authors">): string {
  const names = (paper.authors ?? []).map((author) => author.family || author.name);
  if (names.length > 3) return `${names[0]} et al.`;
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} & ${names.at(-1)}` : (names[0] ?? "");
}

export const titleOf = (paper: Paper) => tex(paper.title) || paper.files?.[0]?.path.split("/").at(-1) || paper.id;

/** A paper's title, which opens it, and who, where and when. */
export function PaperLine({ paper, spans = [] }: { paper: Paper; spans?: string[] }) {
  const { open } = useReading();
  const where = [byline(paper), paper.venue, paper.year].filter(Boolean).join(" · ");
  return (
    <div className="paper-line">
      <button type="button" className="link title" onClick={() => open({ paper: paper.id, spans })}>
        {titleOf(paper)}
      </button>{" "}
      <StatusBadge status={paper.publication_status} />
      {where && <p className="muted">{where}</p>}
    </div>
  );
}
