/** A picture on which a part can be drawn, by the pointer or by keys. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useRef, useState } from "react";
import { useWords } from "../../i18n";
import { type Crop, placeOf } from "./figureSearch";
import { between, applyKey, LEAST, moveCrop, resizeCrop } from "./crop";

interface Props {
  src: string;
  alt: string;
  crop: Crop | null;
  onChange: (crop: Crop | null) => void;
  /** Lies on the picture. */
  children?: ReactNode;
  /** Stands where the picture cannot be shown. */
  fallback: ReactNode;
}

type Point = readonly [number, number];
interface Drag {
  from: Point;
  before: Crop | null;
  does: "draw" | "move" | "resize";
}

/** What part of the picture is chosen, in words. */
export function useCropDescription() {
  const { t } = useWords();
  return (crop: Crop | null) => {
    if (!crop) return t("figures.crop.none");
    const [x, y, width, height] = crop.map((share) => Math.round(share * 100)) as Crop;
    return t("figures.crop.told", { x, y, width, height });
  };
}

export function Cropper({ src, alt, crop, onChange, children, fallback }: Props) {
  const { t } = useWords();
  const describeCrop = useCropDescription();
  const cropperRef = useRef<HTMLDivElement>(null);
  const drag = useRef<Drag | null>(null);
  const [isGone, gone] = useState(false);
  const how = useId();
  if (isGone) return <div className="cropper">{fallback}</div>;

  const pointOf = (event: PointerEvent): Point => {
    const box = cropperRef.current!.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const begin = (event: PointerEvent) => {
    if (event.button) return;
    const part = (event.target as Element).closest<HTMLElement>("[data-does]");
    // a finger scrolls the page; what is chosen already is moved by it
    if (!part && event.pointerType === "touch") return;
    if (!part) event.preventDefault();
    cropperRef.current!.setPointerCapture(event.pointerId);
    drag.current = { from: pointOf(event), before: crop, does: (part?.dataset.does as Drag["does"]) ?? "draw" };
  };
  const go = (event: PointerEvent) => {
    if (!drag.current) return;
    const { from, before, does } = drag.current;
    const to = pointOf(event);
    const by: Point = [to[0] - from[0], to[1] - from[1]];
    if (does !== "draw" && before) onChange((does === "move" ? moveCrop : resizeCrop)(before, by));
    else if (Math.max(Math.abs(by[0]), Math.abs(by[1])) >= LEAST) onChange(between(from, to));
  };
  const end = () => {
    drag.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const next = crop && applyKey(crop, event.key, event.shiftKey);
    if (!next && event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next);
  };
  return (
    <div className="cropper">
      <div ref={cropperRef} className="drawn" onPointerDown={begin} onPointerMove={go} onPointerUp={end} onPointerCancel={end}>
        <img src={src} alt={alt} draggable={false} onError={() => gone(true)} />
        {children}
        {crop && (
          // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- arrow keys are its own
          <div
            className="frame"
            data-does="move"
            role="application"
            aria-label={`${t("figures.crop.frame")}: ${describeCrop(crop)}`}
            aria-describedby={how}
            // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            style={placeOf(crop)}
            onKeyDown={press}
          >
            <span className="corner" data-does="resize" aria-hidden />
          </div>
        )}
      </div>
      <p id={how} className="muted">
        {t(crop ? "figures.crop.how" : "figures.crop.draw")}
      </p>
      <p role="status" className="hidden">
        {describeCrop(crop)}
      </p>
    </div>
  );
}
