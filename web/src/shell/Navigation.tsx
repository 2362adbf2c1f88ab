/** The pages at the side; on a phone the first five at the foot, the others behind "More". */
import { Ellipsis, Keyboard, Languages, Lock, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useJobs } from "../api/jobs";
import { LANGUAGES, type Language, useWords } from "../i18n";
import { PAGES, type Page } from "../pages";
import { Dialog } from "../parts/Dialog";
import { useReadOnly } from "./health";
import "./navigation.css";
import { useTheme } from "./theme";

/** How many pages have their place at the foot of a phone. */
const FOOT = 5;

export const isAt = (location: string, { path }: Page) => location === path || location.startsWith(`${path}/`);

export function Navigation({ onKeys }: { onKeys: () => void }) {
  const { t } = useWords();
  const [location] = useLocation();
  const [moreAt, openMoreAt] = useState("");
  const setMore = (isOpen: boolean) => openMoreAt(isOpen ? location : "");
  const isFurther = PAGES.slice(FOOT).some((page) => isAt(location, page));
  return (
    <nav className="navigation" aria-label={t("shell.navigation")}>
      <Link href="/ask" className="brand">
        <img src="/icon.svg" alt="" width={26} height={26} />
        <span>Conspectus</span>
      </Link>
      <ul>
        {PAGES.map((page, at) => (
          <li key={page.path} className={at < FOOT ? "foot" : page.isCare ? "care" : ""}>
            <PageLink page={page} />
          </li>
        ))}
        <li className="more">
          <button type="button" className="plain" aria-current={isFurther || undefined} onClick={() => setMore(true)}>
            <Ellipsis size={20} aria-hidden />
            <span>{t("shell.more")}</span>
            <Running />
          </button>
        </li>
      </ul>
      <Tools onKeys={onKeys} />
      <Dialog isOpen={moreAt === location} onClose={() => setMore(false)} title={t("shell.more")}>
        <ul className="further">
          {PAGES.slice(FOOT).map((page) => (
            <li key={page.path}>
              <PageLink page={page} />
            </li>
          ))}
        </ul>
        <Tools
          onKeys={() => {
            setMore(false);
            onKeys();
          }}
        />
      </Dialog>
    </nav>
  );
}

function PageLink({ page }: { page: Page }) {
  const { t } = useWords();
  const [location] = useLocation();
  const Icon = page.icon;
  return (
    <Link href={page.path} aria-current={isAt(location, page) ? "page" : undefined} title={t(page.name)}>
      <Icon size={19} aria-hidden />
      <span>{t(page.name)}</span>
      {page.path === "/activity" && <Running />}
    </Link>
  );
}

/** How many jobs run, while any does. */
function Running() {
  const { t } = useWords();
  const running = useJobs().data?.filter((one) => one.state === "running").length ?? 0;
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
  const { isDark, toggle } = useTheme();
  const theme = t(isDark ? "shell.light" : "shell.dark");
  return (
    <div className="tools">
      {useReadOnly() && (
        <p className="read-only" title={t("shell.read_only_hint")}>
          <Lock size={15} aria-hidden />
          <span>{t("shell.read_only")}</span>
        </p>
      )}
      <button type="button" className="plain" onClick={toggle} aria-label={theme} title={theme}>
        {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
      </button>
      <button type="button" className="plain" onClick={onKeys} aria-label={t("keys.title")} title={t("keys.title")}>
        <Keyboard size={18} aria-hidden />
      </button>
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
