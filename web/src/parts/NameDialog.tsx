import { useState } from "react";
import { useWords } from "../i18n";
import { Dialog } from "./Dialog";

interface Props {
  isOpen: boolean;
  title: string;
  label: string;
  name?: string;
  /** Names that there are, to choose from. */
  known?: readonly string[];
  onClose: () => void;
  onSave: (name: string) => void;
}

/** Ask for a name. */
export function NameDialog({ isOpen, title, label, name = "", known = [], onClose, onSave }: Props) {
  const { t } = useWords();
  const [typed, type] = useState(name);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <form
        className="naming"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim()) onSave(typed.trim());
        }}
      >
        {known.length > 0 && (
          <div className="chips">
            {known.map((suggestion) => (
              <button key={suggestion} type="button" className="chip" onClick={() => onSave(suggestion)}>
                {suggestion}
              </button>
            ))}
          </div>
        )}
        <label className="above">
          <span className="muted">{label}</span>
          <input value={typed} maxLength={100} onChange={(event) => type(event.target.value)} autoComplete="off" />
        </label>
        <footer>
          <button type="submit" className="primary" disabled={!typed.trim()}>
            {t("save")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
