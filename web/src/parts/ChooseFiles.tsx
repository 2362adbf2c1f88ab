import { FolderUp, Upload } from "lucide-react";
import { type InputHTMLAttributes, useRef } from "react";
import { useWords } from "../i18n";
import { upload } from "./uploads";

/** What React's types do not know: every browser lets a folder be chosen so. */
const FOLDER = { webkitdirectory: "" } as InputHTMLAttributes<HTMLInputElement>;

interface Props {
  isFolder?: boolean;
  isPrimary?: boolean;
  /** After files were chosen and are on their way. */
  onChosen?: () => void;
}

/** A button that adds the files, or all files of the folder, that are chosen then. */
export function ChooseFiles({ isFolder = false, isPrimary = false, onChosen }: Props) {
  const { t } = useWords();
  const chooser = useRef<HTMLInputElement>(null);
  const Icon = isFolder ? FolderUp : Upload;
  const name = t(isFolder ? "library.choose.folder" : "library.choose");
  return (
    <>
      <button type="button" className={isPrimary ? "primary" : undefined} onClick={() => chooser.current?.click()}>
        <Icon size={16} aria-hidden />
        {name}
      </button>
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label={name}
        {...(isFolder ? FOLDER : {})}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])].filter((file) => !file.name.startsWith("."));
          event.target.value = "";
          if (!files.length) return;
          upload(files);
          onChosen?.();
        }}
      />
    </>
  );
}
