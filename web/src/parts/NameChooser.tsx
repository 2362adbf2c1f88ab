/** Several names of a kind that papers have: completed from the library while typing, each to be taken away again. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, useDeferredValue, useId, useState } from "react";
import { get } from "../api/call";
import { address } from "../api/client";
import type { Value } from "../api/types";
import { useWords } from "../i18n";
import "./NameChooser.css";

interface Props {
  of: "venue" | "author" | "keyword" | "tag" | "collection";
  label: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** What is chosen is shown elsewhere. */
  isBare?: boolean;
}

export function NameChooser({ of, label, values, onChange, isBare }: Props) {
  const { t } = useWords();
  const id = useId();
  const [typed, type] = useState("");
  const [isHere, setHere] = useState(false);
  const starts = useDeferredValue(typed.trim());
  const facetQuery = useQuery({
    queryKey: ["facet values", of, starts],
    queryFn: ({ signal }) => get<{ values: Value[] }>(address(`/facets/${of}`, { starts }), signal),
    enabled: isHere,
    placeholderData: keepPreviousData,
  });
  const known = facetQuery.data?.values ?? [];
  const take = (text: string) => {
    const name = text.trim();
    const isThere = values.some((value) => value.toLowerCase() === name.toLowerCase());
    if (name && !isThere) onChange([...values, name]);
    type("");
  };
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const isPicked = (nativeEvent as InputEvent).inputType !== "insertText" && known.some((facet) => facet.value === target.value);
    if (isPicked && target.value.length > typed.length + 1) take(target.value);
    else type(target.value);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !typed.trim()) return;
    event.preventDefault();
    take(typed);
  };
  return (
    <div className="name-chooser">
      <label>
        <span className={isBare ? "hidden" : undefined}>{label}</span>
        <input
          value={typed}
          list={id}
          autoComplete="off"
          placeholder={t("choose.name")}
          onFocus={() => setHere(true)}
          onChange={change}
          onKeyDown={press}
          onBlur={() => known.some((facet) => facet.value.toLowerCase() === typed.trim().toLowerCase()) && take(typed)}
        />
      </label>
      <datalist id={id}>
        {known.map(({ value, papers }) => (
          <option key={value} value={value} label={t("search.found", { n: papers })} />
        ))}
      </datalist>
      {!isBare && values.length > 0 && (
        <p className="chips">
          {values.map((value) => (
            <button
              key={value}
              type="button"
              className="chip"
              aria-label={t("search.without", { what: value })}
              onClick={() => onChange(values.filter((other) => other !== value))}
            >
              {value}
              <X size={13} aria-hidden />
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
