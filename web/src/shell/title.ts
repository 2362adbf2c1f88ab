/** The title of the window: what a page names itself, the page, the program. */
import { useEffect } from "react";

const parts = { title: "", page: "" };

function change(to: Partial<typeof parts>) {
  Object.assign(parts, to);
  document.title = [parts.title, parts.page, "Conspectus"].filter(Boolean).join(" · ");
}

/** The page that is shown; for the shell. */
export function usePageTitle(page: string) {
  useEffect(() => change({ page }), [page]);
}

/** What of the page is shown: a question, a paper's title. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    change({ title: title ?? "" });
    return () => change({ title: "" });
  }, [title]);
}
