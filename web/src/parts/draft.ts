/** What somebody has written and not saved: kept in this browser until it is saved or dropped. */
import { useState } from "react";

const nameOf = (of: string) => `conspectus.draft.${of}`;

/** What is kept of a draft; null: none is. */
export const draftOf = (of: string): string | null => localStorage.getItem(nameOf(of));

export function dropDraft(of: string) {
  localStorage.removeItem(nameOf(of));
}

/**
 * A text that is being written, by what it is `of` ("": it is not kept); `saved`: as it stands elsewhere.
 * Where `of` changes, the part of the page has it as its key.
 */
export function useDraft(of: string, saved = "") {
  const [typed, type] = useState(() => (of ? draftOf(of) : null));
  const drop = () => {
    dropDraft(of);
    type(null);
  };
  const write = (text: string) => {
    if (text === saved) return drop();
    type(text);
    try {
      if (of) localStorage.setItem(nameOf(of), text);
    } catch {
      // the browser keeps no more: it stays while the page is open
    }
  };
  return { text: typed ?? saved, isDraft: typed !== null, write, drop };
}
