/** What stands above all that the reader shows, so that it can be closed whatever that is. */
import { Maximize2, Minimize2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "../i18n";
import "./reader.css";

export interface Frame {
  onClose: () => void;
  isFull: boolean;
  onFull: () => void;
}
type Props = Frame & { children?: ReactNode };

export function Head({ onClose, isFull, onFull, children }: Props) {
  const { t } = useWords();
  return (
    <header>
      <div>{children}</div>
      <button type="button" className="plain full" onClick={onFull} aria-pressed={isFull} aria-label={t("reader.full")}>
        {isFull ? <Minimize2 size={18} aria-hidden /> : <Maximize2 size={18} aria-hidden />}
      </button>
      <button type="button" className="plain" onClick={onClose} aria-label={t("reader.close")}>
        <X size={18} aria-hidden />
      </button>
    </header>
  );
}

/** The reader without a paper: one that is on its way, or does not come. */
export const EmptyReader = ({ children, ...frame }: Props) => (
  <div className="reader">
    <Head {...frame} />
    {children}
  </div>
);
