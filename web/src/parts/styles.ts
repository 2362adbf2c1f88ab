/** Styles of references that the page offers; the command line has those of journals, too. */
export const STYLES = [
  ["apa", "APA"],
  ["vancouver", "Vancouver"],
  ["ieee", "IEEE"],
  ["nature", "Nature"],
  ["chicago", "Chicago"],
] as const;
