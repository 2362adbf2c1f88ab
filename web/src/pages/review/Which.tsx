/** Which papers of the library a review works on. */
import type { StoredReview } from "../../api/types";
import { useWords } from "../../i18n";
import { useCollections } from "../../parts/curation";
import { PAPER_FILTERS, type PaperFilter } from "../../parts/filters";

/** Those that only the command line sets are kept by the page. */
export interface WhichPapers extends Partial<Record<PaperFilter, string[]>> {
  /** `2005..2015`, `2005..` */
  year?: string;
  full_text?: boolean;
}

/** Filters as a review keeps them. */
interface StoredFilters extends Partial<Record<PaperFilter, string[]>> {
  year?: [number | null, number | null] | null;
  full_text?: boolean | null;
}

/** The same filters with some changed; those that say nothing go. */
export function changeSelection(which: WhichPapers, change: Partial<WhichPapers>): WhichPapers {
  const all = Object.entries({ ...which, ...change });
  return Object.fromEntries(all.filter(([, value]) => value && !(Array.isArray(value) && !value.length)));
}

/** What was chosen when a review was last made or gone on with. */
export function whichOf(review?: StoredReview): WhichPapers {
  const filters = (review?.spec as { filters?: StoredFilters } | undefined)?.filters ?? {};
  const years = filters.year ? `${filters.year[0] ?? ""}..${filters.year[1] ?? ""}` : "";
  const named = Object.fromEntries(PAPER_FILTERS.map((name) => [name, filters[name]]));
  return changeSelection({}, { ...named, year: years, full_text: filters.full_text ?? undefined });
}

const digits = (text: string) => text.replace(/\D/g, "");

export function Which({ which, onChange }: { which: WhichPapers; onChange: (which: WhichPapers) => void }) {
  const { t } = useWords();
  const collections = useCollections().data ?? [];
  const [first = "", last = ""] = (which.year ?? "").split("..");
  const change = (values: Partial<WhichPapers>) => onChange(changeSelection(which, values));
  const years = (from: string, to: string) => change({ year: from || to ? `${from}..${to}` : "" });
  const year = (label: string, value: string, set: (value: string) => void) => (
    <label className="above">
      {label}
      <input inputMode="numeric" maxLength={4} size={6} value={value} onChange={(event) => set(digits(event.target.value))} />
    </label>
  );
  return (
    <fieldset className="which">
      <legend>{t("reviews.which")}</legend>
      <label className="above">
        {t("reviews.collection")}
        <select value={which.collection?.[0] ?? ""} onChange={(event) => change({ collection: event.target.value ? [event.target.value] : [] })}>
          <option value="">{t("reviews.all")}</option>
          {collections.map((collection) => (
            <option key={collection.id} value={collection.id}>
              {collection.name}
            </option>
          ))}
        </select>
      </label>
      {year(t("online.from"), first, (value) => years(value, last))}
      {year(t("online.to"), last, (value) => years(first, value))}
      <label className="check">
        <input type="checkbox" checked={which.full_text ?? false} onChange={(event) => change({ full_text: event.target.checked })} />
        {t("reviews.full_text")}
      </label>
    </fieldset>
  );
}
