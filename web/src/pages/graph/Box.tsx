/** A field for an entity: what vocabularies have that begins with what is typed. */
import { type KeyboardEvent, type Ref, useDeferredValue, useId, useState } from "react";
import type { Concept } from "../../api/types";
import { useWords } from "../../i18n";
import { useEntitySuggestions } from "./queries";

interface Props {
  label: string;
  inputRef?: Ref<HTMLInputElement>;
  onChoose: (id: string) => void;
}

export function EntityBox({ label, inputRef, onChoose }: Props) {
  const { t } = useWords();
  const [typed, type] = useState("");
  const [at, go] = useState(0);
  const [isOpen, open] = useState(false);
  const list = useId();
  const words = useDeferredValue(typed.trim());
  const { concepts, isSettled } = useEntitySuggestions(words);
  const isShown = isOpen && concepts.length > 0;
  const choose = (concept: Concept | undefined) => {
    const name = concept?.id ?? typed.trim();
    if (!name) return;
    type("");
    open(false);
    onChoose(name);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && isShown) {
      event.stopPropagation();
      open(false);
    } else if (step && concepts.length) {
      event.preventDefault();
      open(true);
      go(isShown ? (at + step + concepts.length) % concepts.length : 0);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(isShown ? concepts[at] : undefined);
    }
  };
  return (
    <div className="entity-box" role="search">
      <input
        type="text"
        role="combobox"
        ref={inputRef}
        value={typed}
        aria-label={label}
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? `${list}${at}` : undefined}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          type(event.target.value);
          go(0);
          open(true);
        }}
        onKeyDown={press}
        onBlur={() => open(false)}
      />
      <ul id={list} role="listbox" aria-label={t("graph.entities")} hidden={!isShown}>
        {concepts.map((concept, number) => (
          // the field has the keys
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={concept.id}
            id={`${list}${number}`}
            role="option"
            aria-selected={number === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(concept)}
          >
            {concept.name} {concept.name !== concept.label && <span className="muted">→ {concept.label}</span>}{" "}
            <span className="muted">
              {concept.vocabulary} · {t("graph.sentences", { n: concept.sentences })}
            </span>
          </li>
        ))}
      </ul>
      <p role="status" className="hidden">
        {words.length > 1 && isSettled && t("graph.suggested", { n: concepts.length })}
      </p>
    </div>
  );
}
