import { Search } from "lucide-react";
import { type FormEvent, type ReactNode, type Ref, useState } from "react";
import { useWords } from "../i18n";

interface Props {
  /** What was searched for; give it as the `key` too. */
  q: string;
  label: string;
  placeholder: string;
  onSearch: (q: string) => void;
  inputRef?: Ref<HTMLInputElement>;
  /** Stands between the words and the button. */
  children?: ReactNode;
}

/** Words to search by, and the button. */
export function SearchBox({ q, label, placeholder, onSearch, inputRef, children }: Props) {
  const { t } = useWords();
  const [typed, type] = useState(q);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed.trim());
  };
  return (
    <form className="box" role="search" onSubmit={submit}>
      <input
        type="search"
        ref={inputRef}
        value={typed}
        onChange={(event) => type(event.target.value)}
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
      />
      {children}
      <button type="submit" className="primary">
        <Search size={16} aria-hidden />
        <span>{t("page.search")}</span>
      </button>
    </form>
  );
}
