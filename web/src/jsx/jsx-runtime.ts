/** React's JSX, with the TeX of papers as Unicode in every text that an element shows: no page has to think of it. */
import { Fragment, type JSX, jsx as make, jsxs as makeMany } from "react/jsx-runtime";
import { tex } from "../parts/tex";

export { Fragment, type JSX };

/** What stands in these is shown as it is typed; so is what keeps offsets into its text (`data-start`), which reads TeX by itself. */
const VERBATIM_TAGS: unknown[] = ["code", "pre", "kbd", "samp", "textarea", "script", "style"];
const TEXT_PROPS = ["aria-label", "title", "alt", "placeholder"];

type Props = Record<string, unknown>;
type Make = typeof make;

const isTex = (value: unknown): value is string => typeof value === "string" && (value.includes("$") || value.includes("\\"));
const readable = (value: unknown): unknown => (isTex(value) ? tex(value) : value);

function readableProps(type: unknown, props: Props): Props {
  if (VERBATIM_TAGS.includes(type) || props["data-start"] !== undefined || (type === "option" && props.value === undefined)) return props;
  const changed: Props = {};
  const { children } = props;
  if (isTex(children)) changed.children = tex(children);
  else if (Array.isArray(children) && children.some(isTex)) changed.children = children.map(readable);
  if (typeof type === "string") for (const name of TEXT_PROPS) if (isTex(props[name])) changed[name] = tex(props[name]);
  return Object.keys(changed).length ? { ...props, ...changed } : props;
}

export const jsx: Make = (type, props, key) => make(type, readableProps(type, props as Props), key);
export const jsxs: Make = (type, props, key) => makeMany(type, readableProps(type, props as Props), key);
