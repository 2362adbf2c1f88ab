/** What the server says of itself. */
import { useQuery } from "@tanstack/react-query";
import { api, body } from "../api/client";

function useHealth() {
  const { data } = useQuery({
    queryKey: ["health"],
    queryFn: () => body(api.GET("/api/v1/health")),
    staleTime: Infinity,
  });
  return data;
}

/** Whether nothing may be changed: then what would change something is not offered. */
export const useReadOnly = (): boolean => useHealth()?.read_only ?? false;
export const useVersion = (): string => useHealth()?.version ?? "";
