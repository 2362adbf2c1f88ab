/** The words of the interface, in files by language; what English has, each has (`i18n.test.ts`). */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import en from "./en.json";

export type Key = keyof typeof en;
export type Words = Record<Key, string>;
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;
const LOADERS: Record<Language, () => Promise<Words>> = {
  en: async () => en,
  de: async () => (await import("./de.json")).default,
};
const STORAGE_KEY = "conspectus.language";

export type Translate = (key: Key, values?: Record<string, string | number>) => string;
interface LanguageState {
  t: Translate;
  language: Language;
  choose: (language: Language) => void;
}
const Context = createContext<LanguageState | null>(null);

let locale = "en";
/** Dates and numbers as this browser writes them where it speaks the language that is chosen, else as that language does. */
const localeOf = (language: Language) => navigator.languages.find((tag) => tag.slice(0, 2) === language) ?? language;

export const number = (value: number, options?: Intl.NumberFormatOptions) => value.toLocaleString(locale, options);
/** A day, so that nobody takes the month for it. */
export const day = (at: string | Date) => new Date(at).toLocaleDateString(locale, { dateStyle: "medium" });
export const moment = (at: string) => new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });

/** `{name}` in a text is filled; `{n|one paper|{n} papers}` chooses by the number. */
export function fill(text: string, values: Record<string, string | number> = {}): string {
  const chosen = text.replace(/\{(\w+)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\|((?:[^{}]|\{\w+\})*)\}/g, (_, name, singular, plural) =>
    Number(values[name]) === 1 ? singular : plural,
  );
  return chosen.replace(/\{(\w+)\}/g, (match, name) => {
    const value = values[name];
    return value === undefined ? match : typeof value === "number" ? number(value) : value;
  });
}

export function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  const language = [stored, ...navigator.languages].map((tag) => tag?.slice(0, 2)).find((code) => code && code in LANGUAGES);
  return (language as Language) ?? "en";
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, set] = useState<Language>(() => {
    const initial = preferredLanguage();
    locale = localeOf(initial);
    return initial;
  });
  const [words, load] = useState<Words>(en);
  useEffect(() => {
    document.documentElement.lang = language;
    LOADERS[language]().then((words) => {
      locale = localeOf(language);
      load(words);
    });
  }, [language]);
  const t = useCallback<Translate>((key, values) => fill(words[key] ?? en[key], values), [words]);
  const choose = useCallback((choice: Language) => {
    localStorage.setItem(STORAGE_KEY, choice);
    set(choice);
  }, []);
  const spoken = useMemo(() => ({ t, language, choose }), [t, language, choose]);
  return <Context.Provider value={spoken}>{children}</Context.Provider>;
}

/** The words: `const { t } = useWords(); t("ask.title")`. */
export function useWords(): LanguageState {
  const context = useContext(Context);
  if (!context) throw new Error("useWords outside of LanguageProvider");
  return context;
}
