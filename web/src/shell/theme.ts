/** Light or dark: as the system, until somebody chooses. */
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "conspectus.theme";
const dark = window.matchMedia?.("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

const chosen = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? "system";
const isDarkNow = () => document.documentElement.dataset.theme === "dark";

function apply() {
  const theme = chosen();
  document.documentElement.dataset.theme = theme === "dark" || (theme === "system" && dark?.matches) ? "dark" : "light";
  watchers.forEach((watch) => watch());
}
apply();
dark?.addEventListener?.("change", apply);

export function chooseTheme(theme: Theme) {
  if (theme === "system") localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, theme);
  apply();
}

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => void watchers.delete(tell);
};

/** What was chosen. */
export const useTheme = (): Theme => useSyncExternalStore(watch, chosen);

/** Whether the page is dark now: also for what is drawn. */
export const useDark = (): boolean => useSyncExternalStore(watch, isDarkNow);
