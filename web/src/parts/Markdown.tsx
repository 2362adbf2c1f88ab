/** Somebody's Markdown as elements of the page: the words and their emphasis, never markup, pictures or addresses of their choice. */
import { createElement, Fragment, type ReactNode } from "react";
import { compiler } from "markdown-to-jsx/react";

const TAGS = new Set("p br hr em strong del code pre blockquote ul ol li a h1 h2 h3 h4 h5 h6".split(" "));
/** Headings of a text stand below those of the page. */
const HEADING = /^h[1-6]$/;

interface ElementProps {
  key?: string;
  href?: unknown;
  start?: unknown;
  alt?: string;
}

/** The element, if it is one that a text may have, with none of the properties that the text gives it but a link's address. */
function renderAllowed(tag: unknown, props: ElementProps | null, ...children: ReactNode[]): ReactNode {
  const { key, href, start, alt } = props ?? {};
  const name = String(tag);
  if (name === "img") return alt;
  if (!TAGS.has(name)) return createElement(Fragment, { key }, ...children);
  if (name === "ol") return createElement(name, { key, start: typeof start === "number" ? start : undefined }, ...children);
  if (name !== "a") return createElement(HEADING.test(name) ? "h4" : name, { key }, ...children);
  if (!/^https?:\/\//i.test(String(href))) return createElement("span", { key }, ...children);
  return createElement(name, { key, href: String(href), rel: "noopener noreferrer nofollow", target: "_blank" }, ...children);
}

const OPTIONS = { createElement: renderAllowed as never, disableParsingRawHTML: true, disableFrontmatter: true, wrapper: Fragment, forceBlock: true };

export default function Markdown({ text }: { text: string }) {
  return compiler(text, OPTIONS);
}
