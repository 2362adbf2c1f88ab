/** The picture that is asked for, beside the search box. */
import { Crop as CropIcon, ImageOff, X } from "lucide-react";
import { useState } from "react";
import { figurePicture } from "../../api/client";
import { useWords } from "../../i18n";
import { titleOf } from "../../parts/PaperLine";
import { type FigureSearch, type Crop, type Figure, placeOf } from "./figureSearch";
import { useNames } from "./Card";
import { useCropDescription } from "./Cropper";
import { pictureOf } from "./droppedPictures";

interface Props {
  search: FigureSearch;
  /** The figure that is asked for, where it is known. */
  figure: Figure | undefined;
  onView: () => void;
  onRemove: () => void;
}

export function Source({ search, figure, onView, onRemove }: Props) {
  const { t } = useWords();
  const describeCrop = useCropDescription();
  const { labelOf } = useNames();
  const picture = pictureOf(search.picture);
  const src = picture ? picture.url : figure && figurePicture(figure.paper.id, figure.name, 1);
  const name = picture ? picture.name || t("figures.picture") : figure ? t("figures.of", { label: labelOf(figure), title: titleOf(figure.paper) }) : t("figures.unknown");
  return (
    <div className="source" role="group" aria-label={t("figures.source")}>
      {src && <Thumb key={src} src={src} crop={search.crop} alt={t("figures.picture.alt", { name })} />}
      <p>
        <span className="name">{t("figures.source.of", { name })}</span>
        {search.crop && <span className="muted">{describeCrop(search.crop)}</span>}
        <span className="doing">
          {src && (
            <button type="button" className="quiet" onClick={onView}>
              <CropIcon size={15} aria-hidden />
              {t(search.crop ? "figures.crop.other" : "figures.crop.begin")}
            </button>
          )}
          <button type="button" className="quiet" onClick={onRemove} aria-label={t("figures.remove.of", { name })}>
            <X size={15} aria-hidden />
            {t("remove")}
          </button>
        </span>
      </p>
    </div>
  );
}

function Thumb({ src, crop, alt }: { src: string; crop: Crop | null; alt: string }) {
  const { t } = useWords();
  const [isGone, gone] = useState(false);
  return (
    <span className="thumb">
      {isGone ? (
        <ImageOff size={22} role="img" aria-label={t("figures.unseen")} />
      ) : (
        <span className="drawn">
          <img src={src} alt={alt} onError={() => gone(true)} />
          {crop && <span className="outline" style={placeOf(crop)} aria-hidden />}
        </span>
      )}
    </span>
  );
}
