/** What concerns every page: the server is away, or does not know this browser. */
import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, Power, WifiOff } from "lucide-react";
import { useEffect, useRef } from "react";
import { useConnection } from "../api/connection";
import { useWords } from "../i18n";
import { CodeText } from "../parts/Remedy";
import { useQuits } from "./health";

/** Shown while the server cannot be reached; goes by itself, and what is on the page is asked for again. */
export function ConnectionBanner() {
  const { t } = useWords();
  const connection = useConnection();
  const isApp = useQuits(); // started again, it has another address
  const queries = useQueryClient();
  const before = useRef(connection);
  useEffect(() => {
    if (before.current === "lost" && connection === "well") void queries.invalidateQueries();
    before.current = connection;
  }, [connection, queries]);
  return (
    <div role="status" className="connection">
      {connection === "lost" && (
        <p>
          <WifiOff size={18} aria-hidden />
          <span>
            <strong>{t("shell.away")}</strong> <CodeText text={t(isApp ? "quit.again" : "shell.away_hint")} />
          </span>
        </p>
      )}
    </div>
  );
}

/** Instead of a page, where the server wants a token that this browser has not. */
export function NoEntry() {
  const { t } = useWords();
  return (
    <div className="page">
      <div className="empty" role="alert">
        <KeyRound size={36} strokeWidth={1.4} aria-hidden />
        <h1>{t("shell.no_entry")}</h1>
        <p><CodeText text={t("shell.no_entry_hint")} /></p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          {t("again")}
        </button>
      </div>
    </div>
  );
}

/** Instead of a page, after the page has ended the server. */
export function EndedNotice() {
  const { t } = useWords();
  return (
    <div className="page">
      <div className="empty" role="alert">
        <Power size={36} strokeWidth={1.4} aria-hidden />
        <h1>{t("quit.over")}</h1>
        <p>{t("quit.again")}</p>
      </div>
    </div>
  );
}
