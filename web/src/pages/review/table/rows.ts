/** A table as the address asks for it: sorted, filtered, from a row on. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get } from "../../../api/call";
import { address } from "../../../api/client";
import type { ReviewTable, TableCell } from "../../../api/types";
import type { Key } from "../../../i18n";
import { pathOf } from "../reviews";

export const ROWS = 100;
/** What a cell needs to be looked at for; of the others its value is enough. */
const MARKS: Partial<Record<TableCell["status"], "warn" | "">> = { unconfirmed: "warn", proposed: "", judged: "", edited: "" };

export interface TableRequest {
  sort: string;
  where: string[];
  offset: number;
}

export const requestOf = (params: URLSearchParams): TableRequest => ({
  sort: params.get("sort") ?? "",
  where: params.getAll("where"),
  offset: Number(params.get("offset")) || 0,
});

export const useTable = (id: string, request: TableRequest) =>
  useQuery({
    queryKey: ["reviews", "table", id, request],
    queryFn: ({ signal }) => get<ReviewTable>(address(pathOf("table", id), { ...request, limit: ROWS }), signal),
    placeholderData: keepPreviousData,
  });

/** Sorted by a column: from low to high, then from high to low, then as papers were added. */
export function nextSort(sort: string, column: string): string {
  if (sort === column) return `-${column}`;
  return sort === `-${column}` ? "" : column;
}

export const sortOf = (sort: string, column: string) =>
  sort === column ? "ascending" : sort === `-${column}` ? "descending" : undefined;

export const textOf = (cell: TableCell) => [cell.value, cell.unit].filter(Boolean).join(" ");
export const statusWord = (status: TableCell["status"]) => `table.${status.replace(" ", "_")}` as Key;
/** How a cell is marked; undefined: it is not. */
export const markOf = (cell: TableCell) => MARKS[cell.status];
/** What else is known of the values of a column: "number, mg". */
export const kindOf = ({ kind, unit, choices }: ReviewTable["columns"][number]) =>
  kind === "choice" ? choices.join(" | ") : [kind === "text" ? "" : kind, unit].filter(Boolean).join(", ");

/** Columns as they are typed: "dose (number, mg); design (choice: trial|cohort)". */
export const columnsText = (columns: ReviewTable["columns"]) =>
  columns
    .map(({ name, kind, unit, choices }) => `${name} (${kind === "choice" ? `choice: ${choices.join("|")}` : [kind, unit].filter(Boolean).join(", ")})`)
    .join("; ");
