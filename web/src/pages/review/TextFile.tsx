/** A file of text that is sent as it is. */
import { useId } from "react";
import { useWords } from "../../i18n";
import { toast } from "../../parts/toast";

interface Props {
  label: string;
  hint: string;
  accept: string;
  onText: (text: string) => void;
}

/** The text of a file in UTF-8 or, with its mark in front, in UTF-16; an error for what is in neither. */
async function readText(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const mark = `${bytes[0]},${bytes[1]}`;
  const encoding = mark === "255,254" ? "utf-16le" : mark === "254,255" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

export function TextFile({ label, hint, accept, onText }: Props) {
  const { t } = useWords();
  const id = useId();
  return (
    <label className="above">
      {label}
      <input
        type="file"
        accept={accept}
        aria-describedby={id}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) readText(file).then(onText, () => toast(t("reviews.file.unread", { name: file.name }), { kind: "bad" }));
          else onText("");
        }}
      />
      <small id={id} className="muted">
        {hint}
      </small>
    </label>
  );
}
