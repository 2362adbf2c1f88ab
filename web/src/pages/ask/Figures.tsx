import { ImageOff } from "lucide-react";
import { useState } from "react";
import { figurePicture } from "../../api/client";
import type { CitedFigure } from "../../api/types";
import { useWords } from "../../i18n";
import { useModelTitles } from "../../parts/modelTitles";
import { titleOf } from "../../parts/PaperLine";
import { useReading } from "../../reader/reading";
import { tex } from "../../parts/tex";

/** The figures and tables that citations rest on; each opens its paper where it stands. */
export function Figures({ figures }: { figures: readonly CitedFigure[] }) {
  const { t } = useWords();
  if (!figures.length) return null;
  return (
    <section className="cited-figures" aria-label={t("ask.figures")}>
      <h3>{t("ask.figures")}</h3>
      <ul>
        {figures.map((cited) => (
          <li key={cited.figure.id}>
            <FigureItem cited={cited} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FigureItem({ cited: { figure, by, spans, reading } }: { cited: CitedFigure }) {
  const { t } = useWords();
  const title = useModelTitles(reading ? [reading.model] : []);
  const { open } = useReading();
  const [isGone, gone] = useState(false);
  const label = figure.label || t(`figures.one.${figure.kind}`);
  const caption = tex(figure.caption).replace(figure.label, "").replace(/^[\s.:|–—-]+/, "");
  const read = () => open({ paper: figure.paper.id, page: figure.page ?? undefined, spans: figure.page ? [] : spans });
  return (
    <article aria-label={t("figures.of", { label, title: titleOf(figure.paper) })}>
      <button type="button" className="picture" onClick={read} aria-label={t("figures.open", { label })}>
        {figure.page && !isGone ? (
          <img
            src={figurePicture(figure.paper.id, figure.name)}
            alt={caption || label}
            loading="lazy"
            decoding="async"
            onError={() => gone(true)}
          />
        ) : (
          <span>
            <ImageOff size={20} aria-hidden />
            {t(isGone ? "figures.gone" : "figures.no.picture")}
          </span>
        )}
      </button>
      <div>
        <p>
          <strong>{label}</strong>
          {figure.page && <span className="muted"> · {t("page.number", { page: figure.page })}</span>}
          <span className="muted"> · {titleOf(figure.paper)}</span>
        </p>
        {caption && <p className="caption">{caption}</p>}
        {reading && (
          <div className="reading">
            <p>
              <em className="muted">{t("ask.figures.read", { model: title(reading.model) })}</em> {!reading.tells && t("ask.figures.untold")}{" "}
              {reading.text}
            </p>
            <ul>
              {reading.values.map((value) => (
                <li key={value}>{value}</li>
              ))}
            </ul>
          </div>
        )}
        <button type="button" className="link" onClick={() => open({ paper: figure.paper.id, spans })}>
          {t(`ask.figures.${by}`)}
        </button>
      </div>
    </article>
  );
}
