/** Titles by words that stand in them, whatever their letters and marks are. */

export const foldText = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The numbers of those that have all of the words, or their beginnings. */
export function findRows(letters: readonly string[], words: string): number[] {
  const terms = foldText(words).split(/\s+/).filter(Boolean);
  return terms.length ? letters.flatMap((title, row) => (terms.every((word) => title.includes(word)) ? [row] : [])) : [];
}
