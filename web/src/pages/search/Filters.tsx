/** What the papers found are, counted; each value limits the search to it. */
import type { Facets, Value } from "../../api/types";
import { X } from "lucide-react";
import { useState } from "react";
import { type Key, number, useWords } from "../../i18n";
import { NameChooser } from "../../parts/NameChooser";
import type { Values } from "../../parts/params";
import { type SearchState, FACETS, type Facet } from "./searchState";
import type { CountScope } from "./facets";
import { Years } from "./Years";

interface Props {
  search: SearchState;
  facets: Facets;
  among: CountScope;
  /** How many papers are counted, at most. */
  most: number;
  onChange: (values: Values) => void;
}

const VALUE_LIMIT = 6;
/** Of these papers have more than can be shown: others are typed. */
const TYPED_FACETS = ["venue", "author", "keyword"] as const;

/** A value as people read it: languages and kinds have names. */
export function useNames() {
  const { t, language } = useWords();
  return (facet: Facet, value: string) => {
    if (facet === "kind") return t(`search.kind.${value}` as Key);
    if (facet !== "language") return value;
    try {
      return new Intl.DisplayNames([language], { type: "language" }).of(value) ?? value;
    } catch {
      return value;
    }
  };
}

export function Filters({ search, facets, among, most, onChange }: Props) {
  const { t } = useWords();
  const counts: Partial<Record<Facet, Value[]>> = facets; // not all that can be filtered by is counted
  return (
    <div className="facets">
      <Years values={facets.year ?? []} year={search.year} onChange={(year) => onChange({ year })} />
      {FACETS.map((facet) => (
        <Choice key={facet} facet={facet} values={counts[facet] ?? []} chosen={search[facet]} onChange={(to) => onChange({ [facet]: to })} />
      ))}
      <fieldset className="facet">
        <legend>{t("search.facet.full")}</legend>
        {(["", "1", "0"] as const).map((full) => (
          <label key={full}>
            <input type="radio" name="full" checked={search.full === full} onChange={() => onChange({ full })} />
            <span>{t(`search.full.${full || "any"}` as Key)}</span>
          </label>
        ))}
      </fieldset>
      <p className="muted among">{t(`search.among.${among}`, { n: most })}</p>
    </div>
  );
}

function Choice({ facet, values, chosen, onChange }: { facet: Facet; values: Value[]; chosen: string[]; onChange: (to: string[]) => void }) {
  const { t } = useWords();
  const nameOf = useNames();
  const [isAll, all] = useState(false);
  const isChosen = (value: string) => chosen.some((choice) => choice.toLowerCase() === value.toLowerCase());
  const missing = chosen.filter((value) => !values.some((entry) => entry.value.toLowerCase() === value.toLowerCase())).map((value) => ({ value, papers: 0 }));
  const known = [...missing, ...values];
  const isNamed = isOneOf(TYPED_FACETS, facet);
  if (!known.length && !isNamed) return null;
  const visible = isAll ? known : known.filter((entry, at) => at < VALUE_LIMIT + missing.length || isChosen(entry.value));
  return (
    <fieldset className="facet">
      <legend>{t(`search.facet.${facet}`)}</legend>
      {visible.map(({ value, papers }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={isChosen(value)}
            onChange={() => onChange(isChosen(value) ? chosen.filter((choice) => choice.toLowerCase() !== value.toLowerCase()) : [...chosen, value])}
          />
          <span>{nameOf(facet, value)}</span>
          {papers > 0 && <span className="count">{number(papers)}</span>}
        </label>
      ))}
      {known.length > visible.length || isAll ? (
        <button type="button" className="link" aria-expanded={isAll} onClick={() => all(!isAll)}>
          {isAll ? t("search.less") : t("search.all", { n: known.length - visible.length })}
        </button>
      ) : null}
      {isNamed && (known.length > visible.length || !values.length || isAll) && (
        <NameChooser of={facet} label={t("search.facet.other", { what: t(`search.facet.${facet}`) })} values={chosen} onChange={onChange} isBare />
      )}
    </fieldset>
  );
}

const isOneOf = <T extends string>(all: readonly T[], text: string): text is T => (all as readonly string[]).includes(text);

/** The filters that hold, each to be taken away. */
export function ActiveFilters({ search, onChange }: Pick<Props, "search" | "onChange">) {
  const { t } = useWords();
  const nameOf = useNames();
  const active = FACETS.flatMap((facet) => search[facet].map((value) => ({ facet, value })));
  const drop = (facet: Facet, value: string) => onChange({ [facet]: search[facet].filter((other) => other !== value) });
  const chip = (key: string, text: string, run: () => void) => (
    <button key={key} type="button" className="chip" onClick={run} aria-label={t("search.without", { what: text })}>
      {text}
      <X size={13} aria-hidden />
    </button>
  );
  const nothing = Object.fromEntries(FACETS.map((facet) => [facet, null]));
  const number = active.length + [search.year, search.full, search.among.length].filter(Boolean).length;
  if (!number) return null;
  return (
    <div className="holding">
      {search.among.length > 0 && chip("among", t("among", { n: search.among.length }), () => onChange({ among: null }))}
      {search.year && chip("year", search.year.replace("..", "–"), () => onChange({ year: null }))}
      {active.map(({ facet, value }) => chip(facet + value, nameOf(facet, value), () => drop(facet, value)))}
      {search.full && chip("full", t(`search.full.${search.full}` as Key), () => onChange({ full: null }))}
      {number > 1 && (
        <button type="button" className="link" onClick={() => onChange({ ...nothing, among: null, year: null, full: null })}>
          {t("search.no.filters")}
        </button>
      )}
    </div>
  );
}
