import { Upload } from "lucide-react";
import { type ComponentProps, type DragEvent, useState } from "react";
import { useWords } from "../i18n";
import { useReadOnly } from "../shell/health";
import "./dropping.css";
import { toastError } from "./toast";
import { readDropped, upload } from "./uploads";

interface Props extends ComponentProps<"div"> {
  /** After files were dropped and are on their way. */
  onDropped?: () => void;
}

/** A part of the page on which files and folders can be dropped: they are added to the library. */
export function DropZone({ onDropped, children, ...rest }: Props) {
  const { t } = useWords();
  const [over, count] = useState(0);
  const isReadOnly = useReadOnly();
  const isFiles = (event: DragEvent) => !isReadOnly && event.dataTransfer.types.includes("Files");
  const drop = async (data: DataTransfer) => {
    upload(await readDropped(data));
    onDropped?.();
  };
  return (
    <div
      {...rest}
      onDragEnter={(event) => isFiles(event) && count((number) => number + 1)}
      onDragLeave={(event) => isFiles(event) && count((number) => Math.max(0, number - 1))}
      onDragOver={(event) => isFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!isFiles(event)) return;
        event.preventDefault();
        count(0);
        drop(event.dataTransfer).catch(toastError);
      }}
    >
      {children}
      {over > 0 && (
        <div className="dropping" aria-hidden>
          <Upload size={40} strokeWidth={1.4} />
          <p>{t("library.drop")}</p>
        </div>
      )}
    </div>
  );
}
