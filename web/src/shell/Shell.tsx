/** What stands around every page: navigation, the reader beside it, the sheet of keys, theme and language. */
import { Keyboard, Languages, Moon, Sun } from "lucide-react";
import { Suspense, useEffect, useState } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { LANGUAGES, type Language, useWords } from "../i18n";
import { PAGES } from "../pages";
import { Boundary } from "../parts/Boundary";
import { Confirmation } from "../parts/confirm";
import { Loading } from "../parts/Loading";
import { Toasts } from "../parts/toast";
import { ReaderPane } from "../reader/ReaderPane";
import { KeySheet, useKeys } from "./keys";
import { useTheme } from "./theme";

export function Shell() {
  const { t } = useWords();
  const [location, navigate] = useLocation();
  const [isSheetOpen, setSheet] = useState(false);
  useKeys([
    { keys: "?", does: "keys.sheet", run: () => setSheet(true) },
    ...PAGES.map((page) => ({ keys: `g ${page.key}`, does: page.name, run: () => navigate(page.path) })),
  ]);
  const here = PAGES.find((page) => location.startsWith(page.path));
  useEffect(() => {
    document.title = here ? `${t(here.name)} · Conspectus` : "Conspectus";
  }, [here, t]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      <Navigation onKeys={() => setSheet(true)} />
      <main id="main" tabIndex={-1}>
        <Boundary key={location.split("/")[1]}>
          <Suspense fallback={<Loading />}>
            <Switch>
              {PAGES.map((page) => (
                <Route key={page.path} path={`${page.path}/*?`} component={page.view} />
              ))}
              <Route>
                <Redirect to="/ask" replace />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <ReaderPane />
      <Toasts />
      <Confirmation />
      <KeySheet isOpen={isSheetOpen} onClose={() => setSheet(false)} />
    </div>
  );
}

function Navigation({ onKeys }: { onKeys: () => void }) {
  const { t, language, choose } = useWords();
  const { isDark, toggle } = useTheme();
  const [location] = useLocation();
  return (
    <nav className="navigation" aria-label={t("shell.navigation")}>
      <Link href="/ask" className="brand">
        <img src="/icon.svg" alt="" width={26} height={26} />
        <span>Conspectus</span>
      </Link>
      <ul>
        {PAGES.map(({ path, name, icon: Icon }) => (
          <li key={path}>
            <Link href={path} aria-current={location.startsWith(path) ? "page" : undefined}>
              <Icon size={18} aria-hidden />
              <span>{t(name)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="tools">
        <button type="button" className="plain" onClick={toggle} aria-label={t(isDark ? "shell.light" : "shell.dark")}>
          {isDark ? <Sun size={18} aria-hidden /> : <Moon size={18} aria-hidden />}
        </button>
        <button type="button" className="plain" onClick={onKeys} aria-label={t("keys.title")}>
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
    </nav>
  );
}
