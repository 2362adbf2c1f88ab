import { type RefObject, useEffect } from "react";

/** Scroll the chosen tab of a row that is wider than the screen into view: at first, and when the choice or its words change. */
export function useChosenInView(row: RefObject<HTMLElement | null>, choice: unknown, words: unknown) {
  useEffect(() => {
    const chosen = row.current?.querySelector('[aria-current], [aria-pressed="true"]');
    const bar = chosen?.closest("ul");
    if (chosen && bar && bar.scrollWidth > bar.clientWidth) chosen.scrollIntoView({ inline: "center", block: "nearest" });
  }, [row, choice, words]);
}
