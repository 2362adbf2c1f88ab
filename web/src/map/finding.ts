/** Titles by words that stand in them, whatever their letters and marks are. */

export const folded = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The numbers of those that have all of the words, or their beginnings. */
export function matching(letters: readonly string[], words: string): number[] {
  const terms = folded(words).split(/\s+/).filter(Boolean);
  return terms.length ? letters.flatMap((title, row) => (terms.every((word) => title.includes(word)) ? [row] : [])) : [];
}
