/** How papers are ranked: what else counts, searching by more than the question, variety. */
import { type Key, useWords } from "../../i18n";
import type { Values } from "../../parts/params";
import { type SearchState, EXPANSIONS, WEIGHTS } from "./searchState";
import { Steering } from "./Steering";

export function Ranking({ search, onChange }: { search: SearchState; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const flip = (name: string) => (search.weight.includes(name) ? search.weight.filter((other) => other !== name) : [...search.weight, name]);
  return (
    <div className="ranking card">
      <fieldset>
        <legend>{t("search.weights")}</legend>
        {WEIGHTS.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={search.weight.includes(name)} onChange={() => onChange({ weight: flip(name) })} />
            <span>
              {t(`search.weight.${name}`)}
              <small>{t(`search.weight.${name}.why` as Key)}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t("search.widen")}</legend>
        <label className="above">
          <span>{t("search.expand")}</span>
          <select value={search.expand} onChange={(event) => onChange({ expand: event.target.value })}>
            <option value="">{t("search.expand.no")}</option>
            {EXPANSIONS.map((name) => (
              <option key={name} value={name}>
                {t(`search.expand.${name}`)}
              </option>
            ))}
          </select>
          <small>{t("search.expand.why")}</small>
        </label>
        <label className="above">
          <span>{t("search.use")}</span>
          <select value={search.use} onChange={(event) => onChange({ use: event.target.value })}>
            {(["", "summary", "both"] as const).map((name) => (
              <option key={name} value={name}>
                {t(`search.use.${name || "raw"}` as Key)}
              </option>
            ))}
          </select>
        </label>
      </fieldset>
      <Steering search={search} onChange={onChange} />
      <fieldset>
        <legend>{t("search.shape")}</legend>
        <label className="above">
          <span>{t("search.mmr")}</span>
          <input
            type="range"
            min={0}
            max={0.7}
            step={0.1}
            value={1 - (search.mmr ?? 1)}
            aria-valuetext={`${Math.round((1 - (search.mmr ?? 1)) * 100)} %`}
            onChange={(event) => {
              const share = Number(event.target.value);
              onChange({ mmr: share ? Number((1 - share).toFixed(1)) : null });
            }}
          />
          <small>{t("search.mmr.why")}</small>
        </label>
        <label>
          <input type="checkbox" checked={search.outliers} onChange={() => onChange({ outliers: !search.outliers })} />
          <span>{t("search.outliers")}</span>
        </label>
        <label>
          <input type="checkbox" checked={search.auto} onChange={() => onChange({ auto: !search.auto })} />
          <span>
            {t("search.auto")}
            <small>{t("search.auto.why")}</small>
          </span>
        </label>
        <label>
          <input type="checkbox" checked={search.plain} onChange={() => onChange({ plain: !search.plain })} />
          <span>{t("search.plain")}</span>
        </label>
      </fieldset>
    </div>
  );
}
