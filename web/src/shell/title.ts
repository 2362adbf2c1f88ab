/** The title of the window: what a page names itself, the page, the program. */
import { useEffect } from "react";

const parts = { own: "", page: "" };

function change(to: Partial<typeof parts>) {
  Object.assign(parts, to);
  document.title = [parts.own, parts.page, "Conspectus"].filter(Boolean).join(" · ");
}

/** The page that is shown; for the shell. */
export function usePageTitle(page: string) {
  useEffect(() => change({ page }), [page]);
}

/** What of the page is shown: a question, a paper's title. */
export function useTitle(own: string | undefined) {
  useEffect(() => {
    change({ own: own ?? "" });
    return () => change({ own: "" });
  }, [own]);
}
