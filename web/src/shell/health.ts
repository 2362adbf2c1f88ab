/** What the server says of itself. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, body } from "../api/client";

function useHealth() {
  const { data } = useQuery({
    queryKey: ["health"],
    queryFn: () => body(api.GET("/api/v1/health")),
    staleTime: Infinity,
  });
  return data;
}

/** What changes something is shown only where it may be changed. */
export const IfWritable = ({ children }: { children: ReactNode }): ReactNode => (useReadOnly() ? null : children);

/** Whether nothing may be changed: then what would change something is not offered. */
export const useReadOnly = (): boolean => useHealth()?.read_only ?? false;
/** Whether the server is for nobody but who started it: then models are connected from the page. */
export const useIsPrivate = (): boolean => useHealth()?.private ?? false;
/** Whether the page can end the server: `conspectus app` started it. */
export const useQuits = (): boolean => useHealth()?.quits ?? false;
export const useVersion = (): string => useHealth()?.version ?? "";
