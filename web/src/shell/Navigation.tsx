/** The five places at the side (on a phone at the foot) with the pages of the current one; on narrow screens these are a row at the top. */
import { ChevronRight, Ellipsis, Keyboard, Languages, Lock, Moon, Sun } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useJobs } from "../api/jobs";
import { LANGUAGES, type Language, useWords } from "../i18n";
import { type Page, pageAt, pagesOf, type Place, PLACES } from "../pages";
import { useChosenInView } from "../parts/chosenInView";
import { Dialog } from "../parts/Dialog";
import { useReadOnly } from "./health";
import { Quit } from "./Quit";
import "./navigation.css";
import { chooseTheme, useDark } from "./theme";

/** The page that lists the jobs: it and its place show how many run. */
const JOBS = "/activity";

export function Navigation({ onKeys }: { onKeys: () => void }) {
  const { t } = useWords();
  const here = pageAt(useLocation()[0]);
  return (
    <nav className="navigation" aria-label={t("shell.navigation")}>
      <Link href="/ask" className="brand">
        <img src="/icon.svg" alt="" width={26} height={26} />
        <span>Conspectus</span>
      </Link>
      <ul className="places">
        {PLACES.map((place) => (
          <PlaceEntry key={place.id} place={place} here={here} />
        ))}
      </ul>
      <Tools onKeys={onKeys} />
    </nav>
  );
}

/** A place, and below the current one its pages. */
function PlaceEntry({ place, here }: { place: Place; here?: Page }) {
  const { t } = useWords();
  const pages = pagesOf(place.id);
  const isHere = here?.place === place.id;
  const Icon = place.icon;
  return (
    <li>
      <Link className="place" href={pages[0]!.path} aria-current={isHere ? "true" : undefined}>
        <Icon size={20} aria-hidden />
        <span>{t(place.name)}</span>
        {pages.some((page) => page.path === JOBS) && !isHere && <RunningCount />}
      </Link>
      {isHere && (
        <ul className="of-place">
          {pages.map((page) => (
            <li key={page.path}>
              <PageLink page={page} isHere={page === here} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** On narrow screens: the pages of the current place in a row that scrolls, and what else the side bar has. */
export function PageRow({ onKeys }: { onKeys: () => void }) {
  const { t } = useWords();
  const [location] = useLocation();
  const here = pageAt(location);
  const [openAt, setOpenAt] = useState("");
  const row = useRef<HTMLUListElement>(null);
  const [isCut, setCut] = useState(false);
  useChosenInView(row, here, t);
  const measure = () => {
    const bar = row.current;
    setCut(!!bar && bar.scrollLeft + bar.clientWidth < bar.scrollWidth - 4);
  };
  useEffect(() => {
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  });
  const title = t("shell.tools");
  return (
    <nav className="page-row" aria-label={t("shell.pages")}>
      <ul ref={row} onScroll={measure}>
        {(here ? pagesOf(here.place) : []).map((page) => (
          <li key={page.path}>
            <PageLink page={page} isHere={page === here} />
          </li>
        ))}
      </ul>
      {isCut && (
        <button type="button" className="plain further" aria-label={t("shell.pages.more")} title={t("shell.pages.more")} onClick={() => row.current?.scrollBy({ left: row.current.clientWidth * 0.8, behavior: "smooth" })}>
          <ChevronRight size={20} aria-hidden />
        </button>
      )}
      <button type="button" className="plain" aria-label={title} title={title} onClick={() => setOpenAt(location)}>
        <Ellipsis size={20} aria-hidden />
      </button>
      <Dialog isOpen={openAt === location} onClose={() => setOpenAt("")} title={title}>
        <Tools
          onKeys={() => {
            setOpenAt("");
            onKeys();
          }}
        />
      </Dialog>
    </nav>
  );
}

function PageLink({ page, isHere }: { page: Page; isHere: boolean }) {
  const { t } = useWords();
  const Icon = page.icon;
  return (
    <Link href={page.path} aria-current={isHere ? "page" : undefined}>
      <Icon size={16} aria-hidden />
      <span>{t(page.name)}</span>
      {page.path === JOBS && <RunningCount />}
    </Link>
  );
}

/** How many jobs run, while any does. */
function RunningCount() {
  const { t } = useWords();
  const running = useJobs().data?.filter((job) => job.state === "running").length ?? 0;
  if (!running) return null;
  return (
    <em className="running" title={t("shell.running", { n: running })}>
      {running}
      <span className="hidden">{t("shell.running", { n: running })}</span>
    </em>
  );
}

function Tools({ onKeys }: { onKeys: () => void }) {
  const { t, language, choose } = useWords();
  const isDark = useDark();
  const theme = t(isDark ? "shell.light" : "shell.dark");
  return (
    <div className="tools">
      {useReadOnly() && (
        <p className="read-only" title={t("shell.read_only_hint")}>
          <Lock size={15} aria-hidden />
          <span>{t("shell.read_only")}</span>
        </p>
      )}
      <button type="button" className="plain" onClick={() => chooseTheme(isDark ? "light" : "dark")} aria-label={theme} title={theme}>
        {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
        <span>{theme}</span>
      </button>
      <button type="button" className="plain" onClick={onKeys} aria-label={t("keys.title")} title={t("keys.title")}>
        <Keyboard size={18} aria-hidden />
        <span>{t("shell.keys")}</span>
      </button>
      <Quit />
      <label className="language">
        <Languages size={18} aria-hidden />
        <span className="hidden">{t("shell.language")}</span>
        <select value={language} onChange={(event) => choose(event.target.value as Language)}>
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
