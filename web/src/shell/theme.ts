/** Light or dark: as the system, until somebody chooses. */
import { useEffect, useState, useSyncExternalStore } from "react";

const KEPT = "conspectus.theme";
const dark = window.matchMedia?.("(prefers-color-scheme: dark)");

export function useTheme() {
  const [isDark, set] = useState(() => (localStorage.getItem(KEPT) ?? (dark?.matches ? "dark" : "light")) === "dark");
  useEffect(() => {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }, [isDark]);
  const toggle = () => {
    localStorage.setItem(KEPT, isDark ? "light" : "dark");
    set(!isDark);
  };
  return { isDark, toggle };
}

const watch = (tell: () => void) => {
  const seen = new MutationObserver(tell);
  seen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => seen.disconnect();
};

/** Whether the page is dark now: for what is drawn. */
export const useDark = () => useSyncExternalStore(watch, () => document.documentElement.dataset.theme === "dark");
