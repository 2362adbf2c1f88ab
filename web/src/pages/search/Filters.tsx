/** What the papers found are, counted; each value limits the search to it. */
import type { Facets, Value } from "../../api/types";
import { X } from "lucide-react";
import { useState } from "react";
import { type Key, number, useWords } from "../../i18n";
import { NameChooser } from "../../parts/NameChooser";
import type { Values } from "../../parts/params";
import { type Asked, FACETS, type Facet } from "./asked";
import type { Among } from "./facets";
import { Years } from "./Years";

interface Props {
  one: Asked;
  facets: Facets;
  among: Among;
  /** How many papers are counted, at most. */
  most: number;
  onChange: (values: Values) => void;
}

const SHOWN = 6;
/** Of these papers have more than can be shown: others are typed. */
const TYPED = ["venue", "author", "keyword"] as const;

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

export function Filters({ one, facets, among, most, onChange }: Props) {
  const { t } = useWords();
  const counts: Partial<Record<Facet, Value[]>> = facets; // not all that can be filtered by is counted
  return (
    <div className="facets">
      <Years values={facets.year ?? []} year={one.year} onChange={(year) => onChange({ year })} />
      {FACETS.map((facet) => (
        <Choice key={facet} facet={facet} values={counts[facet] ?? []} chosen={one[facet]} onChange={(to) => onChange({ [facet]: to })} />
      ))}
      <fieldset className="facet">
        <legend>{t("search.facet.full")}</legend>
        {(["", "1", "0"] as const).map((full) => (
          <label key={full}>
            <input type="radio" name="full" checked={one.full === full} onChange={() => onChange({ full })} />
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
  const named = useNames();
  const [isAll, all] = useState(false);
  const isChosen = (value: string) => chosen.some((one) => one.toLowerCase() === value.toLowerCase());
  const missing = chosen.filter((value) => !values.some((one) => one.value.toLowerCase() === value.toLowerCase())).map((value) => ({ value, papers: 0 }));
  const known = [...missing, ...values];
  const isNamed = isOneOf(TYPED, facet);
  if (!known.length && !isNamed) return null;
  const shown = isAll ? known : known.filter((one, at) => at < SHOWN + missing.length || isChosen(one.value));
  return (
    <fieldset className="facet">
      <legend>{t(`search.facet.${facet}`)}</legend>
      {shown.map(({ value, papers }) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={isChosen(value)}
            onChange={() => onChange(isChosen(value) ? chosen.filter((one) => one.toLowerCase() !== value.toLowerCase()) : [...chosen, value])}
          />
          <span>{named(facet, value)}</span>
          {papers > 0 && <span className="count">{number(papers)}</span>}
        </label>
      ))}
      {known.length > shown.length || isAll ? (
        <button type="button" className="link" aria-expanded={isAll} onClick={() => all(!isAll)}>
          {isAll ? t("search.less") : t("search.all", { n: known.length - shown.length })}
        </button>
      ) : null}
      {isNamed && (known.length > shown.length || !values.length || isAll) && (
        <NameChooser of={facet} label={t("search.facet.other", { what: t(`search.facet.${facet}`) })} values={chosen} onChange={onChange} isBare />
      )}
    </fieldset>
  );
}

const isOneOf = <T extends string>(all: readonly T[], one: string): one is T => (all as readonly string[]).includes(one);

/** The filters that hold, each to be taken away. */
export function Holding({ one, onChange }: Pick<Props, "one" | "onChange">) {
  const { t } = useWords();
  const named = useNames();
  const held = FACETS.flatMap((facet) => one[facet].map((value) => ({ facet, value })));
  const drop = (facet: Facet, value: string) => onChange({ [facet]: one[facet].filter((other) => other !== value) });
  const chip = (key: string, text: string, run: () => void) => (
    <button key={key} type="button" className="chip" onClick={run} aria-label={t("search.without", { what: text })}>
      {text}
      <X size={13} aria-hidden />
    </button>
  );
  const nothing = Object.fromEntries(FACETS.map((facet) => [facet, null]));
  const number = held.length + [one.year, one.full, one.among.length].filter(Boolean).length;
  if (!number) return null;
  return (
    <div className="holding">
      {one.among.length > 0 && chip("among", t("among", { n: one.among.length }), () => onChange({ among: null }))}
      {one.year && chip("year", one.year.replace("..", "–"), () => onChange({ year: null }))}
      {held.map(({ facet, value }) => chip(facet + value, named(facet, value), () => drop(facet, value)))}
      {one.full && chip("full", t(`search.full.${one.full}` as Key), () => onChange({ full: null }))}
      {number > 1 && (
        <button type="button" className="link" onClick={() => onChange({ ...nothing, among: null, year: null, full: null })}>
          {t("search.no.filters")}
        </button>
      )}
    </div>
  );
}
