/** What is seldom asked for: the measure, years and collections. */
import { useId } from "react";
import { useWords } from "../../i18n";
import { useCollections } from "../../parts/curation";
import type { Values } from "../../parts/params";
import { type FigureSearch, isLikeness, MEASURES } from "./figureSearch";

export function More({ search, onChange }: { search: FigureSearch; onChange: (values: Values) => void }) {
  const { t } = useWords();
  const collections = useCollections().data ?? [];
  const id = useId();
  const [year = ""] = search.filters.year ?? [];
  const [collection = ""] = search.filters.collection ?? [];
  return (
    <div className="more card">
      {isLikeness(search) && (
        <label className="above">
          <span className="muted">{t("figures.measure")}</span>
          <select value={search.measure} aria-describedby={id} onChange={(event) => onChange({ measure: event.target.value === MEASURES[0] ? null : event.target.value })}>
            {MEASURES.map((name) => (
              <option key={name} value={name}>
                {t(`figures.measure.${name}`)}
              </option>
            ))}
          </select>
          <small id={id} className="muted">
            {t(`figures.measure.${search.measure}.how`)}
          </small>
        </label>
      )}
      <form
        key={year}
        onSubmit={(event) => {
          event.preventDefault();
          onChange({ year: String(new FormData(event.currentTarget).get("year")).trim() });
        }}
      >
        <label className="above">
          <span className="muted">{t("figures.year")}</span>
          <input name="year" defaultValue={year} placeholder="2005..2015" onBlur={(event) => event.target.value.trim() !== year && onChange({ year: event.target.value.trim() })} />
        </label>
      </form>
      {collections.length > 0 && (
        <label className="above">
          <span className="muted">{t("figures.collection")}</span>
          <select value={collection} onChange={(event) => onChange({ collection: event.target.value })}>
            <option value="">{t("figures.collection.all")}</option>
            {collections.map((set) => (
              <option key={set.id} value={set.id}>
                {set.name}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
