/** A card beside what is pointed at, or has the focus by keys. */
import { type FocusEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
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

export interface Shown {
  id: string;
  at: RefObject<HTMLElement | null>;
  onEnter: () => void;
  onLeave: () => void;
  onClose: () => void;
}

export function Tip({ id, at, onEnter, onLeave, onClose, children }: Shown & { children: ReactNode }) {
  const held = useRef<HTMLDivElement>(null);
  const [place, set] = useState({ left: 0, top: 0 });
  useKeys([{ keys: "Escape", does: "close", run: onClose, inFields: true }]);
  useLayoutEffect(() => {
    const box = at.current?.getBoundingClientRect();
    if (!box) return;
    const { width = 0, height = 0 } = held.current?.getBoundingClientRect() ?? {};
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - width - 8));
    const above = box.top - height - 6;
    set({ left, top: above > 8 ? above : box.bottom + 6 });
  }, [at]);
  useEffect(() => {
    window.addEventListener("scroll", onClose, { capture: true, once: true });
    return () => window.removeEventListener("scroll", onClose, { capture: true });
  }, [onClose]);
  return createPortal(
    <div className="tip" id={id} role="tooltip" ref={held} style={place} onMouseEnter={onEnter} onMouseLeave={onLeave}>
      {children}
    </div>,
    document.body,
  );
}
