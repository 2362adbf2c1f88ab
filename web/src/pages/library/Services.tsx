/** The services used: their addresses, keys, limits and budgets, and what each returned. */
import type { ServiceReport } from "../../api/types";
import { number, useWords } from "../../i18n";
import { translateText } from "../../i18n/translation";
import { Loading } from "../../parts/Loading";
import { Trouble } from "../../parts/Trouble";
import { useServices } from "./sources";

const money = (value: number) => number(value, { style: "currency", currency: "USD" });

export function ServicesInUse() {
  const { t } = useWords();
  return (
    <details className="asked-services">
      <summary>{t("online.who")}</summary>
      <ServiceTable />
    </details>
  );
}

function ServiceTable() {
  const { t } = useWords();
  const services = useServices();
  if (services.error) return <Trouble error={services.error} onRetry={services.refetch} />;
  if (!services.data) return <Loading as="line" />;
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled with keys
    <div className="table" tabIndex={0} role="region" aria-label={t("online.who")}>
      <table>
        <thead>
          <tr>
            {(["service", "address", "key", "limit", "budget", "today", "last"] as const).map((column) => (
              <th key={column} scope="col">
                {t(`online.who.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {services.data.map((service) => (
            <tr key={service.name}>
              <th scope="row">{service.title}</th>
              <td>{service.address}</td>
              <td>{service.missing === "sources.mailto" ? t("online.mailto.missing") : t(service.missing ? "online.key.missing" : service.has_key ? "online.key.yes" : "online.key.no")}</td>
              <td>{translateText(t, service.limit)}</td>
              <td>{service.budget_left === null ? t("online.free") : money(service.budget_left)}</td>
              <td>{number(service.requests_today)}</td>
              <td>{service.last || "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What each service did, and what it could not. */
export function ServiceReports({ reports }: { reports: readonly ServiceReport[] }) {
  const { t } = useWords();
  const titles = useTitles();
  if (!reports.length) return null;
  return (
    <ul className="reports" aria-label={t("online.reports")}>
      {reports.map(({ name, found, total, cost, note, some_words }) => (
        <li key={name}>
          <strong>{titles(name)}</strong>{" "}
          <span className="muted">
            {total === null || total < found ? t("online.report", { n: found }) : t("online.report.of", { n: found, total })}
            {some_words && ` · ${t("online.report.some")}`}
            {cost > 0 && ` · ${money(cost)}`}
          </span>
          {note && <p className="note-of">{note}</p>}
        </li>
      ))}
    </ul>
  );
}

/** What services are called by people. */
export function useTitles() {
  const services = useServices();
  return (name: string) => services.data?.find((service) => service.name === name)?.title ?? name;
}
