/** What failed and what to do about it: in the page's words where the page found it, and where in the page it is done. */
import { Fragment } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { PAGE_PROBLEMS, Problem } from "../api/client";
import { type Key, type Translate, useWords } from "../i18n";
import { translateText } from "../i18n/translation";
import { commandPlace, SETTING, settingAt } from "./verbs";

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

interface ErrorText {
  what: string;
  hint: string;
  /** The name of a link, and where it leads. */
  place?: [Key, string];
}

export function describeError(error: Error, t: Translate): ErrorText {
  if (!(error instanceof Problem)) return { what: error.message, hint: t("trouble.own") };
  // the server's hint is for whoever runs it
  if (error.kind === "UnexpectedError") return { what: t("trouble.unexpected"), hint: t("trouble.unexpected.hint") };
  const ownKind = PAGE_PROBLEMS.find((kind) => kind === error.kind);
  if (!ownKind) return { what: error.message, hint: error.hint, place: PLACES[error.kind] };
  return { what: t(`trouble.${ownKind}`), hint: t(`trouble.${ownKind}.hint`) };
}

/** A remedy, in the page's language if it has a known form: verbs, options and settings that the page has are links, by the page's own names; what only a terminal has is shown as it is typed there. */
export function Remedy({ text }: { text: string }) {
  const { t } = useWords();
  const [path] = useLocation();
  const search = useSearch();
  const here = search ? `${path}?${search}` : path;
  const pieces = translateText(t, text).split(/`([^`]+)`/).flatMap((words, at) => (at % 2 ? [{ words, isMarked: true }] : words.split(SETTING).map((words) => ({ words, isMarked: false }))));
  const meanings = pieces.map(({ words, isMarked }) => settingAt(words) ?? (isMarked ? commandPlace(words) : null));
  const firstTyped = meanings.findIndex((meaning) => typeof meaning === "string");
  return pieces.map(({ words, isMarked }, at) => {
    const meaning = meanings[at] ?? null;
    if (meaning === null) return <Fragment key={at}>{isMarked ? <code>{words}</code> : words}</Fragment>;
    if (typeof meaning === "string")
      return (
        <Fragment key={at}>
          {at === firstTyped && <span className="badge">{t("trouble.line")}</span>} <code>{meaning}</code>
        </Fragment>
      );
    const name = meaning.names.map((key) => t(key)).join(": ") || words;
    return !meaning.path || meaning.path === here || meaning.path === path ? <em key={at}>{name}</em> : <Link key={at} href={meaning.path}>{name}</Link>;
  });
}

/** A text of which what stands between backticks is code. */
export const CodeText = ({ text }: { text: string }) =>
  text.split(/`([^`]+)`/).map((piece, at) => (at % 2 ? <code key={at}>{piece}</code> : <Fragment key={at}>{piece}</Fragment>));

/** The link to where it is mended. */
export function Place({ place }: Pick<ErrorText, "place">) {
  const { t } = useWords();
  return place ? <Link href={place[1]}>{t(place[0])}</Link> : null;
}
