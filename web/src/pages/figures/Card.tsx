/** A figure in the gallery. */
import { ImageOff } from "lucide-react";
import { useId, useState } from "react";
import { figurePicture } from "../../api/client";
import type { FigureHit } from "../../api/types";
import { type Key, number, useWords } from "../../i18n";
import en from "../../i18n/en.json";
import { MarkedText } from "../../parts/marks";
import { PaperLine } from "../../parts/PaperLine";
import { useReading } from "../../reader/reading";
import { captionOf, cropOfPanel, type Figure, type Panel, placeOf } from "./figureSearch";

const twoDigits = (value: number) => number(value, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** What a figure is called: its label, else its kind. */
export function useNames() {
  const { t } = useWords();
  return {
    labelOf: (figure: Figure) => figure.label || t(`figures.one.${figure.kind}`),
    panelOf: (panel: Panel) => (panel.label ? t("figures.panel", { label: panel.label }) : t("figures.panel.unnamed")),
    altOf: (figure: Figure) => [figure.label || t(`figures.one.${figure.kind}`), captionOf(figure).slice(0, 250)].filter(Boolean).join(": "),
  };
}

/** What a picture shows, and how sure that is; nothing where nobody knows. */
export function Shows({ figure }: { figure: Figure }) {
  const { t } = useWords();
  if (!figure.shows) return null;
  const sure = Math.round(figure.probability * 100);
  return (
    <span className="badge" title={t("figures.sure", { n: sure })}>
      {t(`figures.one.${figure.shows}`)} <span className="hidden">{t("figures.sure", { n: sure })}</span>
    </span>
  );
}

interface Props {
  hit: FigureHit;
  stems: ReadonlySet<string>;
  isRanked: boolean;
  onView: () => void;
  onLike: () => void;
}

export function FigureCard({ hit, stems, isRanked, onView, onLike }: Props) {
  const { t } = useWords();
  const { labelOf, panelOf, altOf } = useNames();
  const { open } = useReading();
  const [isWhole, setWhole] = useState(false);
  const [isGone, gone] = useState(false);
  const id = useId();
  const { figure, panel } = hit;
  const label = labelOf(figure);
  const caption = captionOf(figure);
  // cells have no picture where no page has
  const hasPicture = !isGone && (!!figure.page || figure.kind === "figure");
  const read = () => open({ paper: figure.paper.id, page: figure.page ?? undefined, spans: figure.page ? [] : figure.mentions.slice(0, 1) });
  const nameOf = (name: string) => (`figures.factor.${name}` in en ? t(`figures.factor.${name}` as Key) : name);
  const factors = Object.entries(hit.factors).map(([name, value]) => `${nameOf(name)} ${twoDigits(value)}`);
  return (
    <article className="card figure-card" aria-labelledby={id}>
      <button type="button" className="picture" onClick={hasPicture ? onView : read}>
        {hasPicture ? (
          <span className="drawn">
            <img src={figurePicture(figure.paper.id, figure.name)} alt={altOf(figure)} loading="lazy" decoding="async" onError={() => gone(true)} />
            {panel && (
              <span className="outline" style={placeOf(cropOfPanel(panel))} aria-hidden>
                {panel.label && <span>{panel.label}</span>}
              </span>
            )}
          </span>
        ) : (
          <span className="none muted">
            <ImageOff size={22} aria-hidden />
            {t(isGone && figure.page ? "figures.gone" : "figures.no.picture")}
          </span>
        )}
        <span className="hidden">{hasPicture ? t("figures.larger") : t("figures.open", { label })}</span>
      </button>
      <header>
        <h2 id={id}>
          {label}
          {figure.page && <span className="muted"> · {t("page.number", { page: figure.page })}</span>}
        </h2>
        {isRanked && (
          <span className="score" title={factors.join(" · ")} aria-label={t("search.score", { score: twoDigits(hit.score) })}>
            {twoDigits(hit.score)}
          </span>
        )}
      </header>
      {(panel || figure.shows) && (
        <p className="told-of">
          <Shows figure={figure} />
          {panel && <span className="badge here">{t("figures.panel.here", { panel: panelOf(panel) })}</span>}
        </p>
      )}
      {panel?.caption && panel.caption !== figure.caption && <p className="caption cut part">{panel.caption}</p>}
      {caption && (
        <p className={isWhole ? "caption" : "caption cut"}>
          <MarkedText text={caption} stems={stems} />
        </p>
      )}
      {caption.length > 160 && (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {t(isWhole ? "search.less" : "search.whole")}
        </button>
      )}
      {figure.mentions.length > 0 && (
        <button type="button" className="link" onClick={() => open({ paper: figure.paper.id, spans: figure.mentions })}>
          {t("figures.mentions", { n: figure.mentions.length })}
        </button>
      )}
      <PaperLine paper={figure.paper} />
      <div className="doing">
        <button type="button" className="quiet" onClick={read} aria-label={t("figures.open", { label })}>
          {t("figures.in.paper")}
        </button>
        {hasPicture && (
          <button type="button" className="quiet" onClick={onLike} aria-label={t("figures.like.of", { label })}>
            {t("figures.like")}
          </button>
        )}
      </div>
    </article>
  );
}
