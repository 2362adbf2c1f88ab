/** Settings, grouped as people look for them: what each means, whether it was changed; those for experts are folded. */
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { type Key, useWords } from "../../i18n";
import { Loading } from "../../parts/Loading";
import { useParams } from "../../parts/params";
import { Trouble } from "../../parts/Trouble";
import { Appearance } from "./Appearance";
import { type Group, groupRows, GROUPS } from "./groups";
import { filterRows, isChanged, type Row } from "./rows";
import { Setting } from "./Setting";
import "./settings.css";
import { TryModels } from "./TryModels";

export default function SettingsPage() {
  const { t } = useWords();
  const [params, change] = useParams();
  const words = params.get("q") ?? "";
  const settings = useQuery({ queryKey: ["settings"], queryFn: () => body(api.GET("/api/v1/settings")) });
  const onlyChanged = params.get("changed") === "1";
  const isNarrowed = onlyChanged || !!words.trim();
  const all = settings.data?.settings ?? [];
  const rows = filterRows(all, words, t).filter((row) => !onlyChanged || isChanged(row));
  return (
    <div className="page settings">
      <h1>{t("page.settings")}</h1>
      <div className="filter">
        <input
          type="search"
          value={words}
          aria-label={t("settings.find")}
          placeholder={t("settings.find")}
          onChange={(event) => change({ q: event.target.value }, true)}
        />
        <label>
          <input type="checkbox" checked={onlyChanged} onChange={(event) => change({ changed: event.target.checked }, true)} /> {t("settings.only_changed")}
        </label>
      </div>
      {!isNarrowed && (
        <nav className="chips" aria-label={t("settings.groups")}>
          {GROUPS.map((name) => (
            <a key={name} className="button" href={`#settings-${name}`}>
              {t(`settings.group.${name}`)}
            </a>
          ))}
        </nav>
      )}
      {settings.error && <Trouble error={settings.error} onRetry={settings.refetch} />}
      {settings.isPending && <Loading as="rows" />}
      {isNarrowed && !rows.length && !settings.isPending && <p className="muted">{t("settings.none")}</p>}
      {settings.data && groupRows(rows).map((group) => <GroupCard key={group.name} group={group} isNarrowed={isNarrowed} />)}
    </div>
  );
}

/** A group; where somebody looks for a setting, only what was found of it, and nothing is folded. */
function GroupCard({ group: { name, rows, advanced }, isNarrowed }: { group: Group; isNarrowed: boolean }) {
  const { t } = useWords();
  if (isNarrowed && !rows.length && !advanced.length) return null;
  const id = `settings-${name}`;
  return (
    <section className="card" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1}>
        {t(`settings.group.${name}`)}
      </h2>
      {!isNarrowed && <p className="muted">{t(`settings.group.${name}.what` as Key)}</p>}
      {!isNarrowed && name === "models" && <TryModels />}
      {!isNarrowed && name === "appearance" && <Appearance />}
      <Rows rows={isNarrowed ? [...rows, ...advanced] : rows} />
      {!isNarrowed && advanced.length > 0 && (
        <details>
          <summary>{t("settings.advanced", { n: advanced.length })}</summary>
          <Rows rows={advanced} />
        </details>
      )}
    </section>
  );
}

const Rows = ({ rows }: { rows: readonly Row[] }) =>
  rows.length > 0 && (
    <ul>
      {rows.map((row) => (
        <Setting key={`${row.name}=${row.value}`} row={row} />
      ))}
    </ul>
  );
