/** A file of text that is sent as it is. */
import { useId } from "react";
import { toastError } from "../../parts/toast";

interface Props {
  label: string;
  hint: string;
  accept: string;
  onText: (text: string) => void;
}

export function TextFile({ label, hint, accept, onText }: Props) {
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
          if (file) file.text().then(onText, toastError);
          else onText("");
        }}
      />
      <small id={id} className="muted">
        {hint}
      </small>
    </label>
  );
}
