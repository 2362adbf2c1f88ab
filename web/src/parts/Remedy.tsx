/** What failed and what to do about it: in the page's words where the page found it, and where in the page it is done. */
import { Fragment } from "react";
import { Link } from "wouter";
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

/** What is typed on a command line: between backticks, a command with its options, an option. */
const TYPED = /(`[^`]+`|\bconspectus [a-z]+(?: --?[\w-]+| [A-Z]+…?)*|(?<!\S)--[a-z][\w-]*)/;
/** What is typed to mend something; `conspectus serve` is what runs. */
const COMMAND = /^(conspectus (?!serve)|pip |--)/;

/** A remedy; what is to be typed on the command line is shown as that. */
export function Remedy({ text, className }: { text: string; className?: string }) {
  const { t } = useWords();
  const pieces = text.split(TYPED).map((piece, at) => (at % 2 ? piece.replace(/`/g, "") : piece));
  const isTyped = pieces.some((piece, at) => at % 2 && COMMAND.test(piece));
  return (
    <span className={className}>
      {isTyped && <span className="badge">{t("trouble.line")}</span>}{" "}
      {pieces.map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>))}
    </span>
  );
}

/** The link to where it is mended. */
export function Place({ place }: Pick<Said, "place">) {
  const { t } = useWords();
  return place ? <Link href={place[1]}>{t(place[0])}</Link> : null;
}
