/** Figures: the pictures and tables of papers by words; without words those of the newest papers. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Image, ImageOff } from "lucide-react";
import { useId, useMemo, useRef, useState } from "react";
import { get } from "../../api/call";
import { address, figurePicture } from "../../api/client";
import type { FigureHit, FoundFigures } from "../../api/types";
import { useWords } from "../../i18n";
import { Empty } from "../../parts/Empty";
import { Loading } from "../../parts/Loading";
import { Marked, sought } from "../../parts/marks";
import { PaperLine } from "../../parts/PaperLine";
import { useParams } from "../../parts/params";
import { SearchBox } from "../../parts/SearchBox";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { useKeys } from "../../shell/keys";
import "../search/search.css";
import "./figures.css";

const KINDS = ["", "figure", "table"] as const;
const USUAL_K = 24;
const MOST_K = 384;

export default function FiguresPage() {
  const { t } = useWords();
  const [params, setParams] = useParams();
  const q = params.get("q") ?? "";
  const only = params.get("only") ?? "";
  const k = Math.min(MOST_K, Math.max(1, Math.round(Number(params.get("k")) || USUAL_K)));
  const query = { q, only: KINDS.includes(only as "") ? only : "", k };
  const found = useQuery({
    queryKey: ["figures", query],
    queryFn: ({ signal }) => get<FoundFigures>(address("/figures", query), signal),
    placeholderData: keepPreviousData,
  });
  const stems = useMemo(() => sought(q), [q]);
  const box = useRef<HTMLInputElement>(null);
  useKeys([{ keys: "/", does: "search.key.box", run: () => box.current?.select() }]);
  const hits = found.data?.hits ?? [];
  return (
    <div className="page wide search figures">
      <h1>{t("page.figures")}</h1>
      <SearchBox
        key={q}
        held={box}
        q={q}
        label={t("figures.box")}
        placeholder={t("figures.placeholder")}
        onSearch={(words) => setParams({ q: words, k: null })}
      />
      <div className="tools" role="group" aria-label={t("figures.kind")}>
        {KINDS.map((kind) => (
          <button key={kind} type="button" className="quiet" aria-pressed={only === kind} onClick={() => setParams({ only: kind, k: null })}>
            {t(`figures.kind.${kind || "both"}`)}
          </button>
        ))}
      </div>
      {found.error && <Trouble error={found.error} onRetry={found.refetch} />}
      {found.isPending && <Loading what={t("search.searching")} />}
      {found.data && !found.error && (
        <section className={found.isPlaceholderData ? "stale" : ""} aria-busy={found.isPlaceholderData} aria-label={t("search.results")}>
          {hits.length > 0 && (
            <p role="status" className="muted">
              {t(q ? "figures.found" : "figures.newest", { n: hits.length })}
            </p>
          )}
          {!hits.length && (
            <Empty icon={Image} title={t("figures.none")}>
              <p>{t(q || only ? "figures.none.found" : "figures.none.how")}</p>
            </Empty>
          )}
          <ol className="gallery">
            {hits.map((hit) => (
              <li key={hit.figure.id}>
                <FigureCard hit={hit} stems={stems} isRanked={!!q} />
              </li>
            ))}
          </ol>
          {hits.length >= k && k < MOST_K && (
            <button type="button" className="further" onClick={() => setParams({ k: String(Math.min(MOST_K, k * 2)) })}>
              {t("search.further")}
            </button>
          )}
          {hits.length > 0 && <p className="muted method">{[found.data.method, ...found.data.models].join(" · ")}</p>}
        </section>
      )}
    </div>
  );
}

export function FigureCard({ hit, stems, isRanked }: { hit: FigureHit; stems: ReadonlySet<string>; isRanked: boolean }) {
  const { t } = useWords();
  const { open } = useReading();
  const [isWhole, whole] = useState(false);
  const [isGone, gone] = useState(false);
  const id = useId();
  const { figure } = hit;
  const label = figure.label || t(`figures.kind.${figure.kind}`);
  const caption = figure.caption.startsWith(figure.label) ? figure.caption.slice(figure.label.length).replace(/^[\s.:|–—-]+/, "") : figure.caption;
  const read = () => open({ paper: figure.paper.id, page: figure.page ?? undefined, spans: figure.page ? [] : figure.mentions.slice(0, 1) });
  const factors = Object.entries(hit.factors).map(([name, value]) => `${t(`figures.factor.${name as "caption" | "mention"}`)} ${value.toFixed(2)}`);
  return (
    <article className="card figure-card" aria-labelledby={id}>
      <button type="button" className="picture" onClick={read} aria-label={t("figures.open", { label })}>
        {figure.page && !isGone ? (
          <img src={figurePicture(figure.paper.id, figure.name)} alt="" loading="lazy" decoding="async" onError={() => gone(true)} />
        ) : (
          <span className="muted">
            <ImageOff size={22} aria-hidden />
            {t(isGone ? "figures.gone" : "figures.no.picture")}
          </span>
        )}
      </button>
      <header>
        <h2 id={id}>
          {label}
          {figure.page && <span className="muted"> · {t("page.number", { page: figure.page })}</span>}
        </h2>
        {isRanked && (
          <span className="score" title={factors.join(" · ")} aria-label={t("search.score", { score: hit.score.toFixed(2) })}>
            {hit.score.toFixed(2)}
          </span>
        )}
      </header>
      {caption && (
        <p className={isWhole ? "caption" : "caption cut"}>
          <Marked text={caption} stems={stems} />
        </p>
      )}
      {caption.length > 160 && (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => whole(!isWhole)}>
          {t(isWhole ? "search.less" : "search.whole")}
        </button>
      )}
      {figure.mentions.length > 0 && (
        <button type="button" className="link" onClick={() => open({ paper: figure.paper.id, spans: figure.mentions })}>
          {t("figures.mentions", { n: figure.mentions.length })}
        </button>
      )}
      <PaperLine paper={figure.paper} />
    </article>
  );
}
