/** Classifications: categories as they are typed, and what the server is asked. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../../api/call";
import { address } from "../../../api/client";
import type { Classification, StoredReview } from "../../../api/types";
import { pathOf } from "../reviews";

export interface Category {
  name: string;
  description: string;
}
/** What papers are called that no category fits. */
export const NONE = "none";
const MOST = 1000;

/** Categories of lines `Name: what belongs to it`. */
export function readCategories(text: string): Category[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter(Boolean).map((line) => {
    const at = line.indexOf(":");
    return at < 0 ? { name: line, description: "" } : { name: line.slice(0, at).trim(), description: line.slice(at + 1).trim() };
  });
}

export const writeCategories = (categories: readonly Category[]) =>
  categories.map(({ name, description }) => (description ? `${name}: ${description}` : name)).join("\n");

/** As the server reads them; what JSON calls a text, TOML does, too. */
export const tomlOf = (categories: readonly Category[]) =>
  ["[categories]", ...categories.map(({ name, description }) => `${JSON.stringify(name)} = ${JSON.stringify(description)}`)].join("\n");

/** The categories of a review, as it was asked. */
export function categoriesOf({ spec }: StoredReview): Category[] {
  const { categories } = spec as { categories?: (Partial<Category> & { name: string })[] };
  return (categories ?? []).map(({ name, description = "" }) => ({ name, description }));
}

export const useClassification = (id: string, after: string) =>
  useQuery({
    queryKey: ["reviews", "classify", id, after],
    queryFn: ({ signal }) => get<Classification>(address(pathOf("classify", id), { after, limit: MOST }), signal),
    placeholderData: keepPreviousData,
  });

type ClassifiedPaper = Classification["papers"][number];

/** The papers that have a category; "": all. */
export const withCategory = (papers: readonly ClassifiedPaper[], name: string) =>
  papers.filter(({ categories }) => !name || (name === NONE ? !categories.length : categories.some((category) => category.name === name)));
