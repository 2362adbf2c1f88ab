/** What needs services on the internet says that they are turned off, what would be sent to whom, and has the switch. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plug, Unplug } from "lucide-react";
import { Link } from "wouter";
import { api, body } from "../api/client";
import { useWords } from "../i18n";
import { useReadOnly } from "../shell/health";
import "./GoOnline.css";
import { toast, toastError } from "./toast";

const SETTING = "sources.online";
const useSettings = () => useQuery({ queryKey: ["settings"], queryFn: () => body(api.GET("/api/v1/settings")) });

/** Whether services may be asked; undefined until it is known. Where settings cannot be read the server says it itself. */
export function useOnline(): boolean | undefined {
  const settings = useSettings();
  if (settings.error) return true;
  return settings.data && settings.data.settings.some((setting) => setting.name === SETTING && setting.value === true);
}

export function GoOnline() {
  const { t } = useWords();
  const queries = useQueryClient();
  const isReadOnly = useReadOnly();
  const row = useSettings().data?.settings.find((setting) => setting.name === SETTING);
  const turn = useMutation({
    mutationFn: () => body(api.PATCH("/api/v1/settings", { body: { settings: { [SETTING]: true } } })),
    onSuccess: () => toast(t("online.turned")),
    onError: toastError,
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "job" }),
  });
  if (useOnline() !== false) return null;
  return (
    <div className="card go-online" role="note">
      <Unplug size={20} aria-hidden />
      <div>
        <p>
          <strong>{t("online.off.why")}</strong> {t("online.off.how")}
        </p>
        {isReadOnly || row?.fixed ? (
          <p>{row?.fixed || t("shell.read_only_hint")}</p>
        ) : (
          <p className="doing">
            <button type="button" className="primary" disabled={turn.isPending} onClick={() => turn.mutate()}>
              <Plug size={16} aria-hidden />
              {t("online.turn")}
            </button>
            <Link href={`/settings?q=${SETTING}`}>{t("page.settings")}</Link>
          </p>
        )}
      </div>
    </div>
  );
}
