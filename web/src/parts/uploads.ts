/** Files on their way to the server: they go on while other pages are looked at. */
import { useSyncExternalStore } from "react";
import { API, parseObject, Problem } from "../api/client";

export interface Upload {
  id: number;
  /** The first name, and how many more there are. */
  name: string;
  more: number;
  size: number;
  sent: number;
  state: "waiting" | "sending" | "sent" | "failed" | "cancelled";
  /** That reads them. */
  job?: string;
  error?: Problem;
}

/** Requests at one time: browsers have six in all for a server. */
const AT_ONCE = 2;
/** Bytes of one request with several files; servers take 500 MB. */
const LARGE = 100 * 2 ** 20;
/** Files of one request. */
const MOST_FILES = 500;
const BUSY = 3000;
const STORAGE_KEY = "conspectus.uploads";

/** Files as they are sent: what is dropped together is one job, which tells how long all of it takes; a few, where it is large. */
export function batches(files: readonly File[], many = MOST_FILES, large = LARGE): File[][] {
  const groups: File[][] = [];
  let size = 0;
  for (const file of files) {
    const last = groups.at(-1);
    size += file.size;
    if (last && last.length < many && size <= large) last.push(file);
    else {
      groups.push([file]);
      size = file.size;
    }
  }
  return groups;
}

let uploads: Upload[] = [];
let isHeld = false;
let number = 0;
const transfers = new Map<number, { files: File[]; request?: XMLHttpRequest }>();
const watchers = new Set<() => void>();

function tell(to: Upload[]) {
  uploads = to;
  watchers.forEach((watch) => watch());
}
const change = (id: number, values: Partial<Upload>) => tell(uploads.map((upload) => (upload.id === id ? { ...upload, ...values } : upload)));

/** The names of files by the jobs that read them, also after a reload. */
export function namesOf(job: string): string {
  return parseObject<Record<string, string>>(sessionStorage.getItem(STORAGE_KEY))[job] ?? "";
}

function remember(job: string, name: string) {
  const known = Object.entries(parseObject<Record<string, string>>(sessionStorage.getItem(STORAGE_KEY)));
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries([...known.slice(-50), [job, name]])));
}

export function upload(files: readonly File[]) {
  const added = batches(files).map((batch): Upload => {
    const id = ++number;
    transfers.set(id, { files: batch });
    const size = batch.reduce((sum, file) => sum + file.size, 0);
    return { id, name: batch[0]!.name, more: batch.length - 1, size, sent: 0, state: "waiting" };
  });
  tell([...uploads, ...added]);
  go();
}

/** Show a job that reads files which the server has already, until it is put away. */
export function watch(job: string, name: string) {
  remember(job, name);
  tell([...uploads, { id: ++number, name, more: 0, size: 0, sent: 0, state: "sent", job }]);
}

/** Keep files back, or let them go: what reads them is not here yet. */
export function setHold(shouldHold: boolean) {
  isHeld = shouldHold;
  go();
}

function go() {
  if (isHeld) return;
  const free = AT_ONCE - uploads.filter((upload) => upload.state === "sending").length;
  uploads
    .filter((upload) => upload.state === "waiting")
    .slice(0, Math.max(0, free))
    .forEach((upload) => sendOne(upload.id));
}

function sendOne(id: number) {
  const batch = transfers.get(id);
  if (!batch) return;
  const form = new FormData();
  batch.files.forEach((file) => form.append("file", file, file.name));
  const request = new XMLHttpRequest();
  batch.request = request;
  change(id, { state: "sending", sent: 0, error: undefined });
  request.upload.onprogress = (event) => change(id, { sent: event.loaded });
  request.onload = () => finish(id, request);
  request.onerror = () => fail(id, Problem.ofKind("Away"));
  request.onabort = () => {
    change(id, { state: "cancelled" });
    go();
  };
  request.open("POST", `${API}/files`);
  request.send(form);
}

function finish(id: number, request: XMLHttpRequest) {
  const body = parseObject<{ job: string; type: string }>(request.responseText);
  const upload = uploads.find((other) => other.id === id)!;
  if (request.status === 202 && body.job) {
    remember(body.job, upload.more ? `${upload.name} +${upload.more}` : upload.name);
    change(id, { state: "sent", sent: upload.size, job: body.job });
    transfers.delete(id);
    return go();
  }
  if (body.type === "BusyError") {
    change(id, { state: "waiting" });
    setTimeout(go, BUSY);
    return;
  }
  fail(id, Problem.from(request.status, request.statusText, request.responseText));
}

function fail(id: number, error: Problem) {
  change(id, { state: "failed", error });
  go();
}

export function stop(id: number) {
  const request = transfers.get(id)?.request;
  if (uploads.some((upload) => upload.id === id && upload.state === "sending")) return request?.abort();
  change(id, { state: "cancelled" });
}

export function retryUpload(id: number) {
  change(id, { state: "waiting", error: undefined });
  go();
}

export function forget(id: number) {
  transfers.delete(id);
  tell(uploads.filter((upload) => upload.id !== id));
}

export function useUploads(): Upload[] {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch);
      return () => watchers.delete(watch);
    },
    () => uploads,
  );
}

/** All files of what was dropped, those in folders too. */
export async function readDropped(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.length) return [...data.files];
  return (await Promise.all(entries.map(filesOf))).flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) return [await new Promise<File>((done, failed) => (entry as FileSystemFileEntry).file(done, failed))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (!batch.length) break; // it gives a hundred at a time
    children.push(...batch);
  }
  return (await Promise.all(children.map(filesOf))).flat();
}
