import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, type FileHandle, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ConversionError } from "../errors.ts";
import type { InputFile, NewFile } from "./io.ts";

const unfinished = new Set<string>();

/** Removes the unfinished files of this process, at once; for when a signal ends it. */
export function removeUnfinished(): void {
  for (const path of unfinished) rmSync(path, { force: true });
}

/** Opens a file for reading. */
export async function openFile(path: string): Promise<InputFile> {
  const handle = await attempt("read", path, () => open(path));
  const status = await handle.stat();
  if (status.isDirectory()) {
    await handle.close();
    throw new ConversionError("file-failed", `cannot read ${path}: it is a directory`);
  }
  return { size: status.isFile() ? status.size : undefined, chunks: readChunks(path, handle) };
}

async function* readChunks(path: string, handle: FileHandle): AsyncGenerator<Uint8Array> {
  const chunks = handle.createReadStream({ autoClose: false })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await attempt("read", path, () => chunks.next());
      if (next.done === true) return;
      yield next.value as Uint8Array;
    }
  } finally {
    await handle.close();
  }
}

/** Whether there is anything at a path, also a link that leads nowhere. */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return false;
    throw fileFailed("read", path, cause);
  }
}

/** Begins a file that is put under its name when it is complete. */
export async function createFile(path: string): Promise<NewFile> {
  const target = await realpath(path).catch(() => resolve(path));
  const status = await stat(target).catch(() => undefined);
  // Renaming onto a device or a pipe (/dev/null, /dev/stdout) would replace it.
  return status === undefined || status.isFile() ? temporary(target, status?.mode) : direct(target);
}

async function direct(path: string): Promise<NewFile> {
  const handle = await attempt("write", path, () => open(path, "w"));
  return {
    write: (text) => attempt("write", path, () => handle.writeFile(text)),
    commit: () => handle.close(),
    discard: () => handle.close(),
  };
}

/** Written beside the target, since only within one file system a rename is all or nothing. */
async function temporary(target: string, mode: number | undefined): Promise<NewFile> {
  const path = join(dirname(target), `.${basename(target)}.${randomUUID().slice(0, 8)}.tmp`);
  const handle = await attempt("write", target, () => open(path, "wx"));
  unfinished.add(path);
  const discard = async () => {
    await handle.close();
    await rm(path, { force: true });
    unfinished.delete(path);
  };
  return {
    write: (text) => attempt("write", target, () => handle.writeFile(text)),
    async commit() {
      await attempt("write", target, async () => {
        if (mode !== undefined) await chmod(path, mode);
        await handle.sync();
        await handle.close();
        await rename(path, target);
      });
      unfinished.delete(path);
    },
    discard,
  };
}

async function attempt<Value>(
  action: "read" | "write",
  path: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw fileFailed(action, path, error);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is no folder",
  ENOSPC: "no space left",
};

/** The error for a file that could not be read or written, with the reason in words. */
export function fileFailed(action: "read" | "write", path: string, cause: unknown): ConversionError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown reason";
  return new ConversionError("file-failed", `cannot ${action} ${path}: ${reasons[code] ?? code}`, { cause });
}
