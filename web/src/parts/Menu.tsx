import { ChevronDown, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import "./Menu.css";

interface Props {
  name: string;
  icon?: LucideIcon;
  isDisabled?: boolean;
  /** Where it opens. */
  side?: "below" | "above";
  /** Only its icon is shown; the name is for who hears it. */
  isQuiet?: boolean;
  children: ReactNode;
}

/** A button that shows more of them; a click in it or beside it, Escape and leaving it close it. */
export function Menu({ name, icon: Icon, isDisabled, side = "below", isQuiet, children }: Props) {
  const [isOpen, open] = useState(false);
  const id = useId();
  const menuRef = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => !menuRef.current?.contains(event.target as Node) && open(false);
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- Escape, of what stands in it
    <div
      className={`menu ${side}`}
      ref={menuRef}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.preventDefault();
        event.stopPropagation();
        open(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        ref={button}
        className={isQuiet ? "plain" : undefined}
        aria-label={isQuiet ? name : undefined}
        title={isQuiet ? name : undefined}
        aria-expanded={isOpen}
        aria-controls={id}
        disabled={isDisabled}
        onClick={() => open(!isOpen)}
      >
        {Icon && <Icon size={16} aria-hidden />}
        {!isQuiet && name}
        {!isQuiet && <ChevronDown size={14} aria-hidden />}
      </button>
      {isOpen && (
        // eslint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events -- clicks of its buttons
        <div className="menu-panel" id={id} onClick={(event) => (event.target as Element).closest("a, button") && open(false)}>
          {children}
        </div>
      )}
    </div>
  );
}
