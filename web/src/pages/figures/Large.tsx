/** A picture, large: a part of it can be drawn and looked for; of a figure also what it shows, and its panels. */
import { Crop as CropIcon, ImageOff, ScanSearch, X } from "lucide-react";
import { useRef, useState } from "react";
import { figurePicture } from "../../api/client";
import { useWords } from "../../i18n";
import { Dialog } from "../../parts/Dialog";
import { PaperLine } from "../../parts/PaperLine";
import { captionOf, type Crop, cropOfPanel, type Figure, formatCrop, type Panel, placeOf } from "./figureSearch";
import { Shows, useNames } from "./Card";
import { MIDDLE } from "./crop";
import { Cropper } from "./Cropper";
import type { DroppedPicture } from "./droppedPictures";

interface Props {
  crop: Crop | null;
  onClose: () => void;
  /** Look for what is like the part, or the whole. */
  onLike: (crop: Crop | null) => void;
}

/** A figure of the library. */
export function LargeFigure({ figure, crop: before, onClose, onLike }: Props & { figure: Figure }) {
  const { t } = useWords();
  const { labelOf, altOf, panelOf } = useNames();
  const [crop, set] = useState(before);
  const chosen = figure.panels.find((panel) => crop && formatCrop(cropOfPanel(panel)) === formatCrop(crop));
  const name = chosen && panelOf(chosen);
  return (
    <Dialog isOpen onClose={onClose} title={labelOf(figure)} actions={<Actions crop={crop} name={name} onChange={set} onLike={onLike} />}>
      <div className="large">
        <Cropper src={figurePicture(figure.paper.id, figure.name, 3)} alt={altOf(figure)} crop={crop} onChange={set} fallback={<Unseen text={t("figures.gone")} />}>
          {figure.panels.map((panel, at) => (
            <span key={at} className="outline faint" style={placeOf(cropOfPanel(panel))} aria-hidden>
              {panel.label && <span>{panel.label}</span>}
            </span>
          ))}
        </Cropper>
        {figure.shows && (
          <p>
            {t("figures.shows")} <Shows figure={figure} />{" "}
            <span className="muted" aria-hidden>
              {t("figures.sure", { n: Math.round(figure.probability * 100) })}
            </span>
          </p>
        )}
        {captionOf(figure) && <p className="caption">{captionOf(figure)}</p>}
        {figure.panels.length > 0 && <Panels panels={figure.panels} chosen={chosen} onChoose={(panel) => set(panel && cropOfPanel(panel))} />}
        <PaperLine paper={figure.paper} />
      </div>
    </Dialog>
  );
}

/** A picture that somebody brought. */
export function LargePicture({ picture, crop: before, onClose, onLike }: Props & { picture: DroppedPicture }) {
  const { t } = useWords();
  const [crop, set] = useState(before);
  return (
    <Dialog isOpen onClose={onClose} title={picture.name || t("figures.picture")} actions={<Actions crop={crop} onChange={set} onLike={onLike} />}>
      <div className="large">
        <Cropper src={picture.url} alt={t("figures.picture.alt", { name: picture.name })} crop={crop} onChange={set} fallback={<Unseen text={t("figures.unseen")} />} />
      </div>
    </Dialog>
  );
}

function Panels({ panels, chosen, onChoose }: { panels: readonly Panel[]; chosen?: Panel; onChoose: (panel: Panel | null) => void }) {
  const { t } = useWords();
  const { panelOf } = useNames();
  return (
    <section aria-label={t("figures.panels")}>
      <h3>{t("figures.panels")}</h3>
      <ul className="panels">
        {panels.map((panel, at) => (
          <li key={at}>
            <button type="button" aria-pressed={panel === chosen} onClick={() => onChoose(panel === chosen ? null : panel)}>
              <strong>{panelOf(panel)}</strong>
              {panel.caption && <span>{panel.caption}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ActionsProps {
  crop: Crop | null;
  /** Of the panel that is chosen. */
  name?: string;
  onChange: (crop: Crop | null) => void;
  onLike: Props["onLike"];
}

function Actions({ crop, name, onChange, onLike }: ActionsProps) {
  const { t } = useWords();
  const anchorRef = useRef<HTMLSpanElement>(null);
  const begin = () => {
    onChange(MIDDLE);
    const dialog = anchorRef.current?.closest("dialog");
    setTimeout(() => dialog?.querySelector<HTMLElement>(".frame")?.focus());
  };
  return (
    <>
      <span ref={anchorRef} hidden />
      {crop ? (
        <button type="button" onClick={() => onChange(null)}>
          <X size={16} aria-hidden />
          {t("figures.crop.drop")}
        </button>
      ) : (
        <button type="button" onClick={begin}>
          <CropIcon size={16} aria-hidden />
          {t("figures.crop.begin")}
        </button>
      )}
      <button type="button" className="primary" onClick={() => onLike(crop)}>
        <ScanSearch size={16} aria-hidden />
        {crop ? (name ? t("figures.like.panel", { panel: name }) : t("figures.like.part")) : t("figures.like.whole")}
      </button>
    </>
  );
}

const Unseen = ({ text }: { text: string }) => (
  <p className="none muted">
    <ImageOff size={22} aria-hidden />
    {text}
  </p>
);
