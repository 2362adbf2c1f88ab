/** What people call language models: `qwen3 (LM Studio)`, not its address. The server knows (`models/languages/model_titles.py`). */
import { useQuery } from "@tanstack/react-query";
import { get } from "../api/call";
import { address, api, body } from "../api/client";
import { useWords } from "../i18n";
import { translateText } from "../i18n/translation";

/** How names are shown; until the server has said, by what stands last in them. */
export function useModelTitles(names: readonly string[]): (name: string) => string {
  const { t } = useWords();
  const uniqueNames = [...new Set(names)].filter(Boolean).sort();
  const { data } = useQuery({
    queryKey: ["models", "titles", uniqueNames],
    queryFn: async ({ signal }) => (await get<{ titles: Record<string, string> }>(address("/models/titles", { name: uniqueNames }), signal)).titles,
    enabled: uniqueNames.length > 0,
    staleTime: Infinity,
  });
  return (name) => translateText(t, data?.[name] ?? /[^#:/]*$/.exec(name)![0] ?? name);
}

export function useModelTitle(name: string): string {
  return useModelTitles([name])(name);
}

/** The model that writes answers now; "": none is set. */
export function useWritingModel(): string {
  const { data } = useQuery({ queryKey: ["settings"], queryFn: () => body(api.GET("/api/v1/settings")) });
  const set = (name: string) => String(data?.settings?.find((row) => row.name === name)?.value ?? "");
  const writingModel = set("language.write");
  const name = writingModel || set("language.model");
  return name === "none" ? "" : name;
}
