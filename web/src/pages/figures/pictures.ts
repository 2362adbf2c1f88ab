/** Pictures that are dropped on the page, pasted, or chosen. */
import { type ChangeEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { Problem } from "../../api/client";
import { useWords } from "../../i18n";
import { toastError } from "../../parts/toast";
import { firstPicture } from "./droppedPictures";

/** What takes them; `isOver`: something is about to be dropped. */
export function usePictures(onPicture: (file: File) => void) {
  const { t } = useWords();
  const [over, count] = useState(0);
  const chooser = useRef<HTMLInputElement>(null);
  const take = (files: Iterable<File>) => {
    const file = firstPicture(files);
    if (file) onPicture(file);
    else toastError(new Problem(t("figures.no.file"), t("figures.no.file.hint")));
  };
  const now = useRef(take);
  useEffect(() => {
    now.current = take;
  });
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length) return; // words go where they belong
      event.preventDefault();
      now.current(files);
    };
    window.addEventListener("paste", paste);
    return () => window.removeEventListener("paste", paste);
  }, []);
  const isFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const drops = {
    onDragEnter: (event: DragEvent) => isFiles(event) && count((number) => number + 1),
    onDragLeave: (event: DragEvent) => isFiles(event) && count((number) => Math.max(0, number - 1)),
    onDragOver: (event: DragEvent) => isFiles(event) && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (!isFiles(event)) return;
      event.preventDefault();
      count(0);
      take(event.dataTransfer.files);
    },
  };
  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])];
    event.target.value = "";
    if (files.length) take(files);
  };
  return { chooser, chosen, isOver: over > 0, choose: () => chooser.current?.click(), drops };
}
