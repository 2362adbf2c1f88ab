/** A card beside what is pointed at, or has the focus by keys. */
import { type CSSProperties, type FocusEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useKeys } from "../shell/keys";
import "./Tip.css";

const WAIT = 150;

/** Whether the card is shown: `trigger` is for what is pointed at, `card` for the card. */
export function useTip<E extends HTMLElement>() {
  const [isShown, show] = useState(false);
  const at = useRef<E>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  const soon = (wish: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => show(wish), WAIT);
  };
  const hide = () => {
    clearTimeout(timer.current);
    show(false);
  };
  return {
    isShown,
    hide,
    trigger: {
      ref: at,
      "aria-describedby": isShown ? id : undefined,
      onMouseEnter: () => soon(true),
      onMouseLeave: () => soon(false),
      onFocus: (event: FocusEvent) => event.target.matches(":focus-visible") && show(true),
      onBlur: () => show(false),
    },
    card: { id, at, onEnter: () => clearTimeout(timer.current), onLeave: () => soon(false), onClose: () => show(false) },
  };
}

export interface TipState {
  id: string;
  at: RefObject<HTMLElement | null>;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}

interface TipProps extends TipState {
  /** What is around the thing that is pointed at and must not be covered. */
  besideSelector?: string;
  children: ReactNode;
}

const GAP = 8;
/** A card stands beside a text where there is as much room; else at the foot of the screen, or its head. */
const [LEAST, MOST] = [260, 400];

/** Where a card of a text stands: to its right; on a narrow screen where the text that is pointed at is not. */
function placeCard(text: DOMRect, box: DOMRect, height: number) {
  const end = document.getElementById("reader")?.getBoundingClientRect().left ?? document.documentElement.clientWidth;
  const room = end - text.right - 3 * GAP;
  if (room >= LEAST)
    return { left: text.right + 2 * GAP, width: Math.min(room, MOST), top: Math.max(GAP, Math.min(box.top - GAP, window.innerHeight - height - GAP)) };
  const [left, width] = [GAP, end - 2 * GAP];
  const isLow = box.bottom > window.innerHeight * 0.6;
  return isLow ? { left, width, top: GAP, maxHeight: "38vh" } : { left, width, top: "auto", bottom: GAP, maxHeight: "38vh" };
}

export function Tip({ id, at, onEnter, onLeave, onClose, besideSelector, children }: TipProps) {
  const tipRef = useRef<HTMLDivElement>(null);
  const [place, set] = useState<CSSProperties>({ left: 0, top: 0 });
  useKeys([{ keys: "Escape", does: "close", run: onClose, inFields: true }]);
  useLayoutEffect(() => {
    const box = at.current?.getBoundingClientRect();
    if (!box) return;
    const { width = 0, height = 0 } = tipRef.current?.getBoundingClientRect() ?? {};
    const text = besideSelector && at.current?.closest(besideSelector);
    if (text) return set({ maxWidth: "none", overflow: "hidden", ...placeCard(text.getBoundingClientRect(), box, height) });
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8));
    const above = box.top - height - 6;
    set({ left, top: above > 8 ? above : box.bottom + 6 });
  }, [at, besideSelector, children]);
  useEffect(() => {
    const scrolled = (event: Event) => !tipRef.current?.contains(event.target as Node) && onClose();
    window.addEventListener("scroll", scrolled, { capture: true });
    return () => window.removeEventListener("scroll", scrolled, { capture: true });
  }, [onClose]);
  return createPortal(
    <div className="tip" id={id} role="tooltip" ref={tipRef} style={place} onMouseEnter={onEnter} onMouseLeave={onLeave}>
      {children}
    </div>,
    document.body,
  );
}
