/** What the papers of the library are about, in noun phrases that several of them have: for examples. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/call";
import { address } from "../api/client";

export const useSubjects = () =>
  useQuery({
    queryKey: ["subjects"],
    queryFn: async ({ signal }) => (await get<{ values: { value: string }[] }>(address("/subjects", { most: 20 }), signal)).values.map(({ value }) => value),
  });
