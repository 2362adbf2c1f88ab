/** What failed and what to do about it: in the page's words where the page found it, and where in the page it is done. */
import { Fragment } from "react";
import { Link, useLocation } from "wouter";
import { OWN, Problem } from "../api/client";
import { type Key, type Say, useWords } from "../i18n";

/** Where it is mended, by the class of the server's error. */
const PLACES: Record<string, [Key, string]> = {
  SettingsError: ["model.settings", "/settings"],
  BudgetError: ["model.settings", "/settings?q=budget"],
  ServiceError: ["trouble.models", "/settings?q=language"],
  ServiceAwayError: ["trouble.models", "/settings?q=language"],
  ModelAnswerError: ["trouble.models", "/settings?q=language"],
  ModelMissingError: ["trouble.doctor", "/library/health"],
  ModelDamagedError: ["trouble.doctor", "/library/health"],
  ModelMismatchError: ["trouble.doctor", "/library/health"],
  LibraryError: ["trouble.doctor", "/library/health"],
  LibraryDamagedError: ["trouble.doctor", "/library/health"],
};

interface Said {
  what: string;
  hint: string;
  /** The name of a link, and where it leads. */
  place?: [Key, string];
}

export function said(error: Error, t: Say): Said {
  if (!(error instanceof Problem)) return { what: error.message, hint: t("trouble.own") };
  const own = OWN.find((kind) => kind === error.kind);
  if (!own) return { what: error.message, hint: error.hint, place: PLACES[error.kind] };
  return { what: t(`trouble.${own}`), hint: t(`trouble.${own}.hint`) };
}

/** Where the page has the verbs that remedies name in backticks; "": only the command line has them (`cli/typed.py`). */
const VERBS: Record<string, string> = {
  ...{ add: "/library", list: "/library", show: "/library", retry: "/library/files", ask: "/ask", chat: "/ask", answers: "/ask/history" },
  ...{ status: "/library/health", doctor: "/library/health", reindex: "/library/health", search: "/search", count: "/search", similar: "/search" },
  ...{ consensus: "/consensus", summarise: "/summaries", usage: "/usage", config: "/settings" },
  ...{ backup: "", restore: "", models: "", trust: "", forget: "", inspect: "", export: "", eval: "", prompts: "", conspectus: "" },
};

/** Words of a remedy as they are typed on the command line. */
const typed = (words: string) =>
  `conspectus ${words.replace(/^conspectus /, "").replace(/\b([a-z_]+)=(\S+)/g, (_, name: string, value: string) => `--${name.replace("_", "-")}${value === "True" ? "" : ` ${value}`}`)}`;

/** A remedy: a verb in it leads to where the page has that; what only the command line has is shown as it is typed there. */
export function Remedy({ text }: { text: string }) {
  const { t } = useWords();
  const [here] = useLocation();
  const pieces = text.split(/`([^`]+)`/);
  const pathOf = (words: string) => VERBS[words.split(" ")[0]!];
  const isTyped = pieces.some((words, at) => at % 2 && pathOf(words) === "" && !words.startsWith("conspectus serve"));
  return (
    <>
      {isTyped && <span className="badge">{t("trouble.line")}</span>}{" "}
      {pieces.map((words, at) => {
        if (at % 2 === 0) return <Fragment key={at}>{words}</Fragment>;
        const path = pathOf(words);
        const code = <code>{path === "" ? typed(words) : words}</code>;
        return path && path !== here ? (
          <Link key={at} href={path}>
            {code}
          </Link>
        ) : (
          <Fragment key={at}>{code}</Fragment>
        );
      })}
    </>
  );
}

/** A text of which what stands between backticks is code. */
export const Coded = ({ text }: { text: string }) =>
  text.split(/`([^`]+)`/).map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>));

/** The link to where it is mended. */
export function Place({ place }: Pick<Said, "place">) {
  const { t } = useWords();
  return place ? <Link href={place[1]}>{t(place[0])}</Link> : null;
}
