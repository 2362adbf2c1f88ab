import { useModelTitles } from "./modelTitles";

/** Language models as people call them, separated by commas. */
export function ModelNames({ names }: { names: readonly string[] }) {
  const title = useModelTitles(names);
  return names.map(title).join(", ");
}
