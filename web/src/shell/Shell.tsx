/** What stands around every page: navigation, the reader beside it, the sheet of keys, messages. */
import { Suspense, useEffect, useRef, useState } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { useConnection } from "../api/connection";
import { useWords } from "../i18n";
import { PAGES } from "../pages";
import { Boundary } from "../parts/Boundary";
import { Confirmation } from "../parts/confirm";
import { ConnectDialog } from "../parts/connect/ConnectModel";
import { Loading } from "../parts/Loading";
import { Toasts } from "../parts/toast";
import { ReaderPane } from "../reader/ReaderPane";
import { ConnectionBanner, NoEntry } from "./Banner";
import { useFollowing } from "./following";
import { useKeys } from "./keys";
import { KeySheet } from "./KeySheet";
import { isAt, Navigation } from "./Navigation";
import { usePageTitle } from "./title";

export function Shell() {
  const { t } = useWords();
  const [location, navigate] = useLocation();
  const [isSheetOpen, setSheet] = useState(false);
  useFollowing();
  useKeys([
    { keys: "?", does: "keys.sheet", run: () => setSheet(true) },
    ...PAGES.map((page) => ({ keys: `g ${page.key}`, does: page.name, run: () => navigate(page.path) })),
  ]);
  const here = PAGES.find((page) => isAt(location, page));
  usePageTitle(here ? t(here.name) : "");
  const main = useRef<HTMLElement>(null);
  const before = useRef(here);
  useEffect(() => {
    if (before.current && before.current !== here && !main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true });
    before.current = here;
  }, [here]);
  const isRefused = useConnection() === "refused";
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      <Navigation onKeys={() => setSheet(true)} />
      <main id="main" tabIndex={-1} ref={main}>
        <ConnectionBanner />
        {isRefused ? <NoEntry /> : <Pages key={here?.path} />}
      </main>
      {!isRefused && <ReaderPane />}
      <Toasts />
      <Confirmation />
      <ConnectDialog />
      <KeySheet isOpen={isSheetOpen} onClose={() => setSheet(false)} />
    </div>
  );
}

/** An address that is no page's. */
function Nowhere() {
  const { t } = useWords();
  const [location] = useLocation();
  return (
    <div className="page">
      <h1>{t("nowhere.title")}</h1>
      <p>{t("nowhere.text", { path: location })}</p>
      <p className="chips">
        {PAGES.filter((page) => !page.isCare).map((page) => (
          <Link key={page.path} className="button" href={page.path}>
            {t(page.name)}
          </Link>
        ))}
      </p>
    </div>
  );
}

function Pages() {
  return (
    <Boundary>
      <Suspense fallback={<Loading />}>
        <Switch>
          {PAGES.map((page) => (
            <Route key={page.path} path={`${page.path}/*?`} component={page.view} />
          ))}
          <Route path="/">
            <Redirect to="/ask" replace />
          </Route>
          <Route component={Nowhere} />
        </Switch>
      </Suspense>
    </Boundary>
  );
}
