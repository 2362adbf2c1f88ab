/** What stands beside a paper: its outline, figures, references, and what is known of it. */
import { FileText, ScanSearch } from "lucide-react";
import { Link, useLocation } from "wouter";
import { get } from "../api/call";
import { address, figurePicture } from "../api/client";
import { useWords } from "../i18n";
import { titleOf } from "../parts/PaperLine";
import { ShowConnections } from "../parts/ShowConnections";
import { StatusBadge } from "../parts/StatusBadge";
import { extentOf, TextBadge } from "../parts/TextBadge";
import { toastError } from "../parts/toast";
import { type Block } from "./lines";
import type { Figure, Reference, FullPaper } from "./paper";
import { useReading } from "./reading";

export function Outline({ blocks, onGo }: { blocks: Block[]; onGo: (block: number) => void }) {
  const { t } = useWords();
  const headings = blocks.flatMap((block, at) => (block.kind === "heading" ? [{ ...block, at }] : []));
  if (!headings.length) return <p className="muted">{t("reader.no_outline")}</p>;
  return (
    <ul className="outline">
      {headings.map(({ at, text, level, sentences }) => (
        <li key={at} style={{ paddingInlineStart: `${Math.max(0, level - 1) * 0.9}rem` }}>
          <button type="button" className="link" onClick={() => onGo(at)}>
            <span>{text}</span>
            <span className="muted">{sentences[0]?.places[0]?.page}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function Figures({ paper, figures, onGo }: { paper: string; figures: Figure[]; onGo: (figure: Figure) => void }) {
  const { t } = useWords();
  if (!figures.length) return <p className="muted">{t("reader.no_figures")}</p>;
  return (
    <ul className="figures">
      {figures.map((figure) => (
        <li key={figure.key}>
          <button type="button" onClick={() => onGo(figure)}>
            {figure.place && (
              <img src={figurePicture(paper, figure.key, 1.5)} alt="" loading="lazy" onError={(event) => event.currentTarget.remove()} />
            )}
            <span>
              <strong>{figure.label || t(figure.kind === "table" ? "reader.table" : "reader.figure")}</strong>
              {figure.place && <span className="muted"> · {t("reader.page", { n: figure.place.page })}</span>}
            </span>
            {figure.caption && <span className="caption">{figure.caption}</span>}
          </button>
          {figure.place && <SimilarFigures paper={paper} figure={figure} />}
        </li>
      ))}
    </ul>
  );
}

/** Leads to the figures that are like one. */
function SimilarFigures({ paper, figure }: { paper: string; figure: Figure }) {
  const { t } = useWords();
  const [, go] = useLocation();
  const name = figure.label || t(figure.kind === "table" ? "reader.table" : "reader.figure");
  const seek = async () => {
    const answer = await get<{ figure: { id: string } }>(address(`/figures/${encodeURIComponent(`${paper}.${figure.key}`)}`));
    go(`/figures?like=${encodeURIComponent(answer.figure.id)}`);
  };
  return (
    <button type="button" className="like quiet" onClick={() => seek().catch(toastError)} aria-label={`${name}: ${t("reader.figure.like")}`}>
      <ScanSearch size={15} aria-hidden />
      {t("reader.figure.like")}
    </button>
  );
}

export function References({ references }: { references: Reference[] }) {
  const { t } = useWords();
  const { open } = useReading();
  if (!references.length) return <p className="muted">{t("reader.no_references")}</p>;
  return (
    <ol className="references">
      {references.map((reference) => (
        <li key={reference.key}>
          <p>
            {reference.label && <strong>{reference.label} </strong>}
            {reference.text}
          </p>
          {reference.paper_id ? (
            <button type="button" className="chip" onClick={() => open({ paper: reference.paper_id })}>
              <FileText size={14} aria-hidden />
              {t("reader.here")}
            </button>
          ) : (
            reference.doi && <Doi doi={reference.doi} />
          )}
        </li>
      ))}
    </ol>
  );
}

function Doi({ doi }: { doi: string }) {
  return (
    <a href={`https://doi.org/${encodeURI(doi)}`} target="_blank" rel="noreferrer noopener">
      {doi}
    </a>
  );
}

export function Details({ paper }: { paper: FullPaper }) {
  const { t } = useWords();
  const rows: [string, React.ReactNode][] = [
    [t("reader.authors"), paper.authors.map((author) => author.name).join(", ")],
    [t("reader.year"), paper.date || paper.year],
    [t("reader.venue"), paper.venue],
    [t("reader.doi"), paper.doi && <Doi doi={paper.doi} />],
    [t("reader.keywords"), paper.keywords.join(", ")],
    [t("reader.files"), paper.files.map((file) => <code key={file.path}>{file.path}</code>)],
  ];
  return (
    <div className="details">
      <h3>{titleOf(paper)}</h3>
      <StatusBadge status={paper.publication_status} isWhole />
      <TextBadge extent={extentOf(paper)} isWarning />
      <p>
        <ShowConnections papers={[paper.id]} />
      </p>
      {paper.abstract && <p>{paper.abstract}</p>}
      <dl>
        {rows
          .filter(([, value]) => (Array.isArray(value) ? value.length : value))
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {paper.key_phrases.length > 0 && (
        <>
          <h4>{t("reader.phrases")}</h4>
          <p className="phrases">
            {paper.key_phrases.slice(0, 15).map((phrase) => (
              <Link key={phrase} className="chip" href={`/search?q=${encodeURIComponent(phrase)}`}>
                {phrase}
              </Link>
            ))}
          </p>
        </>
      )}
    </div>
  );
}
