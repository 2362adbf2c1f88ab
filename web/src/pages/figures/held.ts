/** Pictures that somebody dropped: held by this tab while it is open, as addresses cannot hold them. */
export interface Held {
  file: File;
  name: string;
  /** By which the browser shows it. */
  url: string;
}

const MOST = 12;
const pictures = new Map<string, Held>();
const begun = Date.now().toString(36);
let count = 0;

/** Hold a picture; its name in addresses. */
export function hold(file: File): string {
  const key = `${begun}${++count}`;
  pictures.set(key, { file, name: file.name, url: URL.createObjectURL(file) });
  for (const [oldest, { url }] of [...pictures].slice(0, -MOST)) {
    URL.revokeObjectURL(url);
    pictures.delete(oldest);
  }
  return key;
}

/** A picture that is held; undefined: no more. */
export const heldOf = (key: string): Held | undefined => pictures.get(key);

const NAMES = /\.(png|jpe?g|tiff?|gif|webp|bmp)$/i;

/** The first picture among some files. */
export const pictureAmong = (files: Iterable<File>): File | undefined =>
  [...files].find((file) => file.type.startsWith("image/") || NAMES.test(file.name));
