/** Inline TeX as Unicode, for what is shown: `$1/f^{\alpha}$` is read as 1/fᵅ. As `lexicon/inline_tex.py` does it. */
import tables from "./tex.json";

const SYMBOLS = new Map(Object.entries(tables.symbols));
const SILENT = new Set(tables.silent);
const MARKS = new Map(Object.entries(tables.marks));
const ABOVE = new Map(Object.entries(tables.above));
const BELOW = new Map(Object.entries(tables.below));

/** With two prices between dollar signs there is a space before the second, or a digit behind it. */
const MATH = /\$(?![\s\d])([^$]{1,200})(?<!\s)\$|\$(\d[^$]{0,199})(?<!\s)\$(?!\d)|\\\((.{1,200}?)\\\)/gu;
const COMMAND = /\\([A-Za-z]+)/g;
const ROOT = /\\sqrt\{([^{}]{1,80})\}/g;
const FRACTION = /\\[dt]?frac\{([^{}]{1,80})\}\{([^{}]{1,80})\}/g;
const MARK_COMMAND = /\\([A-Za-z]+)\s?\{([\p{L}\p{N}_])\}/gu;
const SCRIPT = /([_^])(?:\{([^{}]{1,80})\}|([^\s{}\\]))/gu;
const GROUP = /(\\[A-Za-z]+|[_^])?\{([^{}]{0,100})\}/g;
const STYLE_COMMAND = /\\([A-Za-z]+)\s?\{([^{}]{0,200})\}|\{\\([A-Za-z]+)\s([^{}]{0,200})\}/g;
/** A command between words; what may be a part of a path in Windows is none. */
const SIGN = /(?<![\p{L}\p{N}_\\:/.])\\([A-Za-z]+)(?:\{\}|(?![A-Za-z\\/{]))/gu;
const ESCAPED_SIGN = /(?<![\\:])\\([&%$#])/g;
/** Stand for signs that were written out, until the formula is read. */
const [LOW, HIGH] = ["\u0001", "\u0002"];

/** A text with its formulas in Unicode, each whole or not at all, and without commands for type faces. */
export function tex(text: string): string {
  const read = text.includes("$") || text.includes("\\(") ? text.replace(MATH, (match, first, second, third) => formula(first ?? second ?? third) || match) : text;
  return read.includes("\\") ? words(read) : read;
}

function words(text: string): string {
  let [plain, before] = [text, ""];
  while (plain !== before) {
    before = plain;
    plain = plain.replace(STYLE_COMMAND, (match, name, inner, other, rest) => (SILENT.has(name ?? other) ? (name ? inner : rest) : match));
  }
  return plain.replace(SIGN, (match, name) => SYMBOLS.get(name) ?? match).replace(ESCAPED_SIGN, "$1");
}

/** A formula in Unicode; "" if a part of it cannot be written so. */
function formula(source: string): string {
  let text = source.replace(/\\([%&#])/g, "$1").replace(/\\[,;:! ]/g, " ");
  text = text.replace(COMMAND, (match, name) => (name === "sqrt" ? match : (SYMBOLS.get(name) ?? (SILENT.has(name) ? "" : match))));
  let before = "";
  while (text !== before) {
    before = text;
    text = text
      .replace(MARK_COMMAND, (match, name, letter) => (MARKS.has(name) ? letter + MARKS.get(name)! : match))
      .replace(SCRIPT, (_, sign, group, letter) => shift((group ?? letter).trim(), sign === "^"))
      .replace(ROOT, (_, inner) => `√${bracket(inner)}`)
      .replace(FRACTION, (_, above, below) => `${bracket(above)}/${bracket(below)}`)
      .replace(GROUP, (match, command, inner) => (command ? match : inner));
  }
  text = text.replaceAll(LOW, "_").replaceAll(HIGH, "^");
  return /[\\{}]/.test(text) ? "" : text.replace(/[~\s]+/g, " ").trim() || " ";
}

/** In brackets, if it has more than one word. */
function bracket(text: string): string {
  const inner = text.trim();
  return /^[\p{L}\p{N}_]+$/u.test(inner) ? inner : `(${inner})`;
}

/** A text raised or lowered; signs that have no such form as astronomers write them (M⊙), words behind `^` or `_`. */
function shift(text: string, isAbove: boolean): string {
  const forms = isAbove ? ABOVE : BELOW;
  const signs = [...text.replaceAll(" ", "").replaceAll("-", "−")];
  if (signs.every((sign) => forms.has(sign))) return signs.map((sign) => forms.get(sign)).join("");
  if (!signs.some((sign) => /[\p{L}\p{N}]/u.test(sign))) return signs.join("") === "∘" ? "°" : signs.join("");
  return text[0] === LOW || text[0] === HIGH ? text : (isAbove ? HIGH : LOW) + bracket(text);
}

/** Where TeX stands in a text, so that nothing is cut within a formula. */
const FORMULAS = new RegExp([MATH, STYLE_COMMAND, SIGN, ESCAPED_SIGN].map((pattern) => pattern.source).join("|"), "gu");

/** From where to where a formula or a command reaches, and what is shown instead. */
export function formulas(text: string): { start: number; end: number }[] {
  if (!/[$\\]/.test(text)) return [];
  return [...text.matchAll(FORMULAS)].flatMap(({ index, 0: raw }) => (tex(raw) === raw ? [] : [{ start: index, end: index + raw.length }]));
}
