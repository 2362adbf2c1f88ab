/** What a page is asked for stands in its address; what belongs to others there (the reader) stays. */
import { useCallback } from "react";
import { useSearchParams } from "wouter";

export type Values = Record<string, string | number | boolean | readonly string[] | null | undefined>;

/** The address with some values set anew; empty ones, `false` and null go. */
export function changeParams(before: URLSearchParams, values: Values): URLSearchParams {
  const after = new URLSearchParams(before);
  for (const [name, value] of Object.entries(values)) {
    after.delete(name);
    if (Array.isArray(value)) value.forEach((entry) => after.append(name, entry));
    else if (value !== null && value !== undefined && value !== "" && value !== false)
      after.set(name, value === true ? "1" : String(value));
  }
  return after;
}

/** The address's values, and how to change some of them; `replace`: without a step for "back". */
export function useParams() {
  const [params, set] = useSearchParams();
  const change = useCallback(
    (values: Values, replace = false) => set((before) => changeParams(before, values), { replace }),
    [set],
  );
  return [params, change] as const;
}
