/** Sliders that turn a search towards a direction of the library, or away from it. */
import { X } from "lucide-react";
import { useState } from "react";
import { useWords } from "../../i18n";
import type { Values } from "../../parts/params";
import { Certainty } from "../directions/Certainty";
import { useDirections, useMatches } from "../directions/queries";
import type { SearchState } from "./searchState";

/** A direction and how far to go, below 0 away from it. */
export interface Turn {
  name: string;
  weight: number;
}

const read = (text: string, sign: number): Turn => {
  const [, name = text, weight = "1"] = /^(.*?)(?::(\d*\.?\d+))?$/.exec(text) ?? [];
  return { name, weight: sign * Number(weight) };
};
export const readTurns = ({ more, less }: Pick<SearchState, "more" | "less">): Turn[] => [...more.map((text) => read(text, 1)), ...less.map((text) => read(text, -1))];
export const formatTurns = (all: readonly Turn[]): Values => ({
  more: all.filter((turn) => turn.weight > 0).map((turn) => `${turn.name}:${turn.weight}`),
  less: all.filter((turn) => turn.weight < 0).map((turn) => `${turn.name}:${-turn.weight}`),
});

export function Steering({ search, onChange }: { search: SearchState; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const known = useDirections();
  const [typed, type] = useState("");
  const matches = useMatches(typed.trim());
  const all = readTurns(search);
  if (!known.data) return null;
  const find = (name: string) => known.data.directions.find((other) => String(other.id) === name);
  const labelOf = (name: string) => find(name)?.label ?? name;
  const set = (name: string, weight: number) => {
    const others = all.filter((other) => other.name !== name);
    onChange(formatTurns(weight ? [...others, { name, weight }] : others));
  };
  const suggested = typed.trim() ? (matches.data?.matches.map((match) => match.direction) ?? []) : known.data.directions.slice(0, 6);
  return (
    <fieldset className="steering">
      <legend>{t("search.steer")}</legend>
      {all.map(({ name, weight }) => (
        <label key={name} className="above">
          <span>
            {labelOf(name)} <Certainty of={find(name)} />
          </span>
          <input
            type="range"
            min={-1}
            max={1}
            step={0.25}
            value={weight}
            aria-valuetext={t(weight < 0 ? "search.steer.less" : "search.steer.more", { n: Math.abs(weight) })}
            onChange={(event) => set(name, Number(event.target.value))}
          />
          <button type="button" className="plain" aria-label={t("search.without", { what: labelOf(name) })} onClick={() => set(name, 0)}>
            <X size={14} aria-hidden />
          </button>
        </label>
      ))}
      <input value={typed} aria-label={t("directions.find")} placeholder={t("directions.find")} onChange={(event) => type(event.target.value)} />
      <p className="chips">
        {suggested
          .filter((other) => !all.some((turn) => turn.name === String(other.id)))
          .map((other) => (
            <button key={other.id} type="button" className="chip" onClick={() => (set(String(other.id), 0.5), type(""))}>
              {other.label} <Certainty of={other} />
            </button>
          ))}
      </p>
      <small>{t("search.steer.why")}</small>
    </fieldset>
  );
}
