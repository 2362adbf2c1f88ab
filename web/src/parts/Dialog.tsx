import { X } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "../i18n";

interface Props {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Buttons at its end. */
  actions?: ReactNode;
}

/** A dialog above the page; Escape and a click beside it close it. */
export function Dialog({ isOpen, onClose, title, children, actions }: Props) {
  const { t } = useWords();
  const dialogRef = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = dialogRef.current;
    if (isOpen && dialog && !dialog.open) dialog.showModal?.();
    if (!isOpen) dialog?.close?.();
  }, [isOpen]);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Escape closes it, too
    <dialog
      ref={dialogRef}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialogRef.current && onClose()}
    >
      {isOpen && (
        <div className="dialog">
          <header>
            <h2 id={id}>{title}</h2>
            <button type="button" className="plain" onClick={onClose} aria-label={t("close")}>
              <X size={18} aria-hidden />
            </button>
          </header>
          {children}
          {actions && <footer>{actions}</footer>}
        </div>
      )}
    </dialog>
  );
}
