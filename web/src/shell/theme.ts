/** Light or dark: as the system, until somebody chooses. */
import { useEffect, useState } from "react";

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
