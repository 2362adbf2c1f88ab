/** The name of an entity. */
import { useQuery } from "@tanstack/react-query";
import { get } from "../../api/call";
import { address } from "../../api/client";

/** What the graph calls an entity, or else the vocabularies. */
export function EntityName({ id, name, isMissing = true }: { id: string; name?: string; isMissing?: boolean }) {
  const { data } = useQuery({
    queryKey: ["concept", id],
    queryFn: ({ signal }) => get<{ concepts: { label: string }[] }>(address(`/concepts/${encodeURIComponent(id)}`), signal),
    enabled: isMissing && !name,
    retry: false,
  });
  return name ?? data?.concepts[0]?.label ?? id;
}
