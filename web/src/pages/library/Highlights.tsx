/** The highlights and notes in all papers, the latest first; each opens its sentence. */
import { Download, Highlighter } from "lucide-react";
import { address } from "../../api/client";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { SearchBox } from "../../parts/SearchBox";
import { Trouble } from "../../parts/Trouble";
import { Note, Quote } from "../../reader/Highlights";
import { COLORS, type Highlight, useHighlights } from "../../reader/highlights";
import { useReading } from "../../reader/reading";
import { tex } from "../../parts/tex";

/** So many are shown at first. */
const FIRST_COUNT = 100;

export function Highlights() {
  const { t } = useWords();
  const { open } = useReading();
  const [params, change] = useParams();
  const [q, color] = [params.get("q") ?? "", params.get("color") ?? ""];
  const limit = Number(params.get("limit")) || FIRST_COUNT;
  const highlightsQuery = useHighlights({ q: q || undefined, color: color || undefined, limit });
  if (highlightsQuery.error) return <Trouble error={highlightsQuery.error} onRetry={highlightsQuery.refetch} />;
  if (!highlightsQuery.data) return <Loading />;
  const isAll = !q && !color;
  if (isAll && !highlightsQuery.data.length)
    return (
      <Empty icon={Highlighter} title={t("marks.empty")}>
        <p>{t("marks.empty.how")}</p>
      </Empty>
    );
  const go = (highlight: Highlight) =>
    open({ paper: highlight.paper, page: highlight.page ?? undefined, spans: highlight.sentences.map((sentence) => sentence.id) });
  return (
    <section className="view highlights" aria-label={t("library.highlights")}>
      <SearchBox key={q} q={q} label={t("marks.search")} placeholder={t("marks.search.hint")} onSearch={(q) => change({ q, limit: null })}>
        <select aria-label={t("marks.colors")} value={color} onChange={(event) => change({ color: event.target.value, limit: null })}>
          <option value="">{t("marks.all")}</option>
          {COLORS.map((colorName) => (
            <option key={colorName} value={colorName}>
              {t(`marks.color.${colorName}`)}
            </option>
          ))}
        </select>
      </SearchBox>
      <p className="marks-head">
        <span className="muted" role="status">
          {highlightsQuery.data.length ? t("marks.count", { n: highlightsQuery.data.length }) : t("marks.nothing")}
        </span>
        <a className="button" href={address("/export", { format: "markdown" })} download="notes.md">
          <Download size={14} aria-hidden />
          {t("marks.export")}
        </a>
      </p>
      <ul className="marks">
        {highlightsQuery.data.map((highlight) => (
          <li key={highlight.id} className={`highlight ${highlight.color}`}>
            <Quote highlight={highlight} onGo={() => go(highlight)} where={`${highlight.label}${highlight.page ? `, p. ${highlight.page}` : ""} · ${tex(highlight.title)}`} />
            <Note text={highlight.note} />
          </li>
        ))}
      </ul>
      {highlightsQuery.data.length === limit && (
        <button type="button" onClick={() => change({ limit: 5 * limit }, true)}>
          {t("marks.more")}
        </button>
      )}
    </section>
  );
}
