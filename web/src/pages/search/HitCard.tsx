/** A paper that was found: who, where, when, its best passage, why, and more of it. */
import type { Hit, Passage } from "../../api/types";
import { useQuery } from "@tanstack/react-query";
import { ChartBarBig, FileText, Layers, Radar } from "lucide-react";
import { forwardRef, useId, useState } from "react";
import { api, body } from "../../api/client";
import { type Key, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { MarkedText } from "../../parts/marks";
import { useModelTitle } from "../../parts/modelTitles";
import { byline, titleOf } from "../../parts/PaperLine";
import { StatusBadge } from "../../parts/StatusBadge";
import { extentOf, TextBadge } from "../../parts/TextBadge";
import { Trouble } from "../../parts/Trouble";
import { useReading } from "../../reader/reading";
import { Factors } from "./Factors";
import { bestSpan, excerpt } from "./hits";

interface Props {
  hit: Hit;
  hits: readonly Hit[];
  /** How all were ranked, and by which models. */
  method: string;
  stems: ReadonlySet<string>;
  isChosen: boolean;
  isHere: boolean;
  onChoose: (withShift: boolean) => void;
  onFocus: () => void;
  onSimilar: () => void;
}

const KINDS = new Set(["abstract", "body", "caption", "table", "summary"]);

export const HitCard = forwardRef<HTMLButtonElement, Props>(function HitCard(props, title) {
  const { hit, hits, method, stems, isChosen, isHere, onChoose, onFocus, onSimilar } = props;
  const { t } = useWords();
  const { reading } = useReading();
  const writer = useModelTitle(hit.summary?.model ?? "");
  const openAt = useOpen(stems);
  const [isWhy, why] = useState(false);
  const [isMore, more] = useState(false);
  const id = useId();
  const where = [byline(hit.paper), hit.paper.venue, hit.paper.year].filter(Boolean).join(" · ");
  const isOpen = reading?.paper === hit.paper.id;
  return (
    <article className={`card hit${isHere ? " here" : ""}${isOpen ? " open" : ""}`} aria-labelledby={id} onFocus={onFocus}>
      <label className="choose">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={() => undefined}
          onClick={(event) => onChoose(event.shiftKey)}
          aria-label={t("select", { title: titleOf(hit.paper) })}
        />
      </label>
      <div>
        <header>
          <h2 id={id}>
            <button
              type="button"
              className="link title"
              ref={title}
              onClick={() => openAt(hit.paper.id, hit.sources?.length ? hit.sources : hit.passage)}
            >
              <MarkedText text={titleOf(hit.paper)} stems={stems} />
            </button>
          </h2>
        </header>
        <p className="muted where">
          <StatusBadge status={hit.paper.publication_status} />
          {where}
          {!!hit.paper.citation_count && ` · ${t("cited", { n: hit.paper.citation_count })}`}
          <TextBadge extent={extentOf(hit.paper)} />
          {hit.outlying?.outlier && <span className="badge warn">{t("search.outlier")}</span>}
          {hit.summary && <span className="badge warn">{t("search.by", { model: writer })}</span>}
        </p>
        <Text passage={hit.passage} hasAbstract={!!hit.paper.abstract} stems={stems} onOpen={() => openAt(hit.paper.id, hit.passage)} />
        <div className="doing">
          <button type="button" className="quiet" aria-expanded={isWhy} onClick={() => why(!isWhy)}>
            <ChartBarBig size={15} aria-hidden />
            {t("search.why")}
          </button>
          {hit.more.length > 0 && (
            <button type="button" className="quiet" aria-expanded={isMore} onClick={() => more(!isMore)}>
              <Layers size={15} aria-hidden />
              {t("search.more", { n: hit.more.length })}
            </button>
          )}
          <button type="button" className="quiet" onClick={onSimilar}>
            <Radar size={15} aria-hidden />
            {t("search.similar")}
          </button>
          <button type="button" className="quiet" onClick={() => openAt(hit.paper.id, hit.passage)}>
            <FileText size={15} aria-hidden />
            {t("read")}
          </button>
        </div>
        {isWhy && <Factors hit={hit} hits={hits} method={method} />}
        {isMore && <More hit={hit} stems={stems} />}
      </div>
    </article>
  );
});

/** Open a paper at the sentence of a passage that has most of the words. */
export function useOpen(stems: ReadonlySet<string>) {
  const { open } = useReading();
  return (paper: string, at: Passage | string[]) => {
    if (Array.isArray(at)) return open({ paper, spans: at });
    const span = at.kind === "summary" ? undefined : bestSpan(at, stems);
    open({ paper, page: span?.places?.[0]?.page, spans: span ? [span.id] : [] });
  };
}

function Text({ passage, hasAbstract, stems, onOpen }: { passage: Passage; hasAbstract: boolean; stems: ReadonlySet<string>; onOpen: () => void }) {
  const { t } = useWords();
  const [isWhole, expand] = useState(false);
  const cut = excerpt(passage, stems);
  // a paper without an abstract has its title in place of one
  const kind = passage.kind === "abstract" && !hasAbstract ? t("search.kind.title") : KINDS.has(passage.kind) ? t(`search.kind.${passage.kind}` as Key) : passage.kind;
  const page = bestSpan(passage, stems)?.places?.[0]?.page;
  return (
    <div className="passage">
      <button type="button" className="link section" onClick={onOpen}>
        {passage.section.split(" > ").at(-1) || kind}
        {page && ` · ${t("page.number", { page })}`}
      </button>
      <p>
        <MarkedText text={isWhole ? passage.text : cut.text} stems={stems} />
        {cut.isCut && (
          <button type="button" className="link" aria-expanded={isWhole} onClick={() => expand(!isWhole)}>
            {t(isWhole ? "search.less" : "search.whole")}
          </button>
        )}
      </p>
    </div>
  );
}

/** The other passages of the paper that were found. */
function More({ hit, stems }: { hit: Hit; stems: ReadonlySet<string> }) {
  const openAt = useOpen(stems);
  const name = hit.paper.id;
  const passagesQuery = useQuery({
    queryKey: ["passages", name],
    queryFn: async () =>
      (await body(api.GET("/api/v1/papers/{paper}/passages", { params: { path: { paper: name } } }))) as unknown as { passages: Passage[] },
  });
  if (passagesQuery.error) return <Trouble error={passagesQuery.error} onRetry={passagesQuery.refetch} />;
  if (!passagesQuery.data) return <Loading />;
  const morePassages = hit.more.flatMap((id) => passagesQuery.data.passages.find((passage) => passage.id === id) ?? []);
  return morePassages.map((passage) => <Text key={passage.id} passage={passage} hasAbstract={!!hit.paper.abstract} stems={stems} onOpen={() => openAt(name, passage)} />);
}
