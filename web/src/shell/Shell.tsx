/** What stands around every page: navigation, the reader beside it, the sheet of keys, messages. */
import { Suspense, useEffect, useRef, useState } from "react";
import { Link, Redirect, useLocation } from "wouter";
import { useConnection } from "../api/connection";
import { useWords } from "../i18n";
import { type Page, pageAt, PAGES, pagesOf, PLACES } from "../pages";
import { Boundary } from "../parts/Boundary";
import { NeedModel } from "../parts/start/NeededModel";
import { Confirmation } from "../parts/confirm";
import { ConnectDialog } from "../parts/connect/ConnectModel";
import { LoadingPage } from "../parts/Loading";
import { EmptyNotice } from "../parts/start/EmptyNotice";
import { Toasts } from "../parts/toast";
import { ReaderPane } from "../reader/ReaderPane";
import { ConnectionBanner, EndedNotice, NoEntry } from "./Banner";
import { useLiveUpdates } from "./liveUpdates";
import { useKeys } from "./keys";
import { KeySheet } from "./KeySheet";
import { Navigation, PageRow } from "./Navigation";
import { usePageTitle } from "./title";

export function Shell() {
  const { t } = useWords();
  const [location, navigate] = useLocation();
  const [isSheetOpen, setSheet] = useState(false);
  useLiveUpdates();
  useKeys([
    { keys: "?", does: "keys.sheet", run: () => setSheet(true) },
    ...PAGES.flatMap(({ key, name, path }) => (key ? [{ keys: `g ${key}`, does: name, run: () => navigate(path) }] : [])),
  ]);
  const here = pageAt(location);
  usePageTitle(here ? t(here.name) : "");
  const main = useRef<HTMLElement>(null);
  const before = useRef(here);
  useEffect(() => {
    if (before.current && before.current !== here && !main.current?.contains(document.activeElement))
      main.current?.focus({ preventScroll: true });
    before.current = here;
  }, [here]);
  const connection = useConnection();
  const isServed = connection === "well" || connection === "lost";
  const showKeys = () => setSheet(true);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t("shell.skip")}
      </a>
      <Navigation onKeys={showKeys} />
      <div className="middle">
        <PageRow onKeys={showKeys} />
        <main id="main" tabIndex={-1} ref={main}>
          <ConnectionBanner />
          {isServed && <NeedModel />}
          {connection === "refused" && <NoEntry />}
          {connection === "ended" && <EndedNotice />}
          {isServed && <PageView key={here?.path} page={here} />}
        </main>
      </div>
      {isServed && <ReaderPane />}
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
        {PLACES.map((place) => (
          <Link key={place.id} className="button" href={pagesOf(place.id)[0]!.path}>
            {t(place.name)}
          </Link>
        ))}
      </p>
    </div>
  );
}

function PageView({ page }: { page?: Page }) {
  const [location] = useLocation();
  if (location === "/") return <Redirect to="/ask" replace />;
  if (!page) return <Nowhere />;
  const View = page.view;
  return (
    <Boundary>
      {(page.place === "explore" || page.place === "review") && <EmptyNotice />}
      <Suspense fallback={<LoadingPage />}>
        <View />
      </Suspense>
    </Boundary>
  );
}
