/** Pictures that somebody dropped: held by this tab while it is open, as addresses cannot hold them. */
export interface DroppedPicture {
  file: File;
  name: string;
  /** By which the browser shows it. */
  url: string;
}

const MOST = 12;
const pictures = new Map<string, DroppedPicture>();
const sessionStart = Date.now().toString(36);
let count = 0;

/** Hold a picture; its name in addresses. */
export function holdPicture(file: File): string {
  const key = `${sessionStart}${++count}`;
  pictures.set(key, { file, name: file.name, url: URL.createObjectURL(file) });
  for (const [oldest, { url }] of [...pictures].slice(0, -MOST)) {
    URL.revokeObjectURL(url);
    pictures.delete(oldest);
  }
  return key;
}

/** A picture that is held; undefined: no more. */
export const pictureOf = (key: string): DroppedPicture | undefined => pictures.get(key);

const NAMES = /\.(png|jpe?g|tiff?|gif|webp|bmp)$/i;

/** The first picture among some files. */
export const firstPicture = (files: Iterable<File>): File | undefined =>
  [...files].find((file) => file.type.startsWith("image/") || NAMES.test(file.name));
