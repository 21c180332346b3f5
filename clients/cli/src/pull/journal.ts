import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missing, replaceFile } from '../config.ts';
import { EXIT, Failure } from '../failures.ts';
import { isId, isPathOf } from './layout.ts';

/** A file in the folder. */
export interface Mirrored {
  /** Relative to the folder, with `/`. */
  path: string;
  size: number;
  mtimeMs: number;
  /** The SHA-256 of the bytes, in hex. */
  sha256: string;
}

/** A clip in the folder. */
export interface Entry {
  submissionId: string;
  /** The `changedAt` of the clip when its files were fetched. */
  changedAt: string;
  files: Record<string, Mirrored>;
  /** Paths that a process was about to write when it was killed: the files may exist. */
  pending?: string[];
  /** True if the clip was erased on the server, and --keep-erased kept it here. */
  isErased?: boolean;
}

interface Head {
  version: 1;
  baseUrl: string;
  projectId: string;
}

type Line = Head | Entry | { removed: string } | { table: true };

/**
 * The record of what a folder has: lines of JSON, appended after each step, so that a process can be killed at any
 * moment. The record only saves work: the server and the files show the true state.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #state: State;
  /** The number of lines that were not valid records. The last line may be cut, so it does not count. */
  readonly ignored: number;

  private constructor(file: FileHandle, state: State, ignored: number) {
    this.#file = file;
    this.#state = state;
    this.ignored = ignored;
  }

  /** Opens the journal of a folder. Fails if it belongs to another project. */
  static async open(folder: string, head: Omit<Head, 'version'>): Promise<Journal> {
    const path = join(folder, 'journal.jsonl');
    const { lines, ignored: invalid } = linesOf((await readFile(path, 'utf8').catch(missing)) ?? '');
    const first = lines.find((line): line is Head => 'version' in line);
    // The records of an unknown project would look like erased clips of this one.
    const ignored = invalid + (first ? 0 : lines.splice(0).length);
    if (first && (first.projectId !== head.projectId || first.baseUrl !== head.baseUrl))
      throw new Failure(
        EXIT.local,
        `This folder has the clips of the project ${first.projectId} at ${first.baseUrl}. Use another folder.`,
      );
    const state: State = { entries: new Map(), isTableFresh: false };
    for (const line of lines) apply(state, line);
    const kept: Line[] = [{ version: 1, ...head }, ...state.entries.values()];
    if (state.isTableFresh) kept.push({ table: true });
    // The lines of earlier runs are replaced by the latest state, so that the file stays short.
    await replaceFile(path, kept.map(line => `${JSON.stringify(line)}\n`).join(''));
    return new Journal(await open(path, 'a'), state, ignored);
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#state.entries;
  }

  /** True if the table was fetched after the last change. */
  get isTableFresh(): boolean {
    return this.#state.isTableFresh;
  }

  async put(entry: Entry): Promise<void> {
    await this.#append(entry);
  }

  async remove(submissionId: string): Promise<void> {
    await this.#append({ removed: submissionId });
  }

  async tableFetched(): Promise<void> {
    await this.#append({ table: true });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #append(line: Line): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(line)}\n`);
    apply(this.#state, line);
  }
}

interface State {
  entries: Map<string, Entry>;
  isTableFresh: boolean;
}

function apply(state: State, line: Line): void {
  if ('version' in line) return;
  state.isTableFresh = 'table' in line;
  if ('removed' in line) state.entries.delete(line.removed);
  else if ('submissionId' in line) state.entries.set(line.submissionId, line);
}

/**
 * Returns the valid lines, and the number of the others. The file may come from another computer: a record must name
 * only files of its own clip in the folder, because `rr pull` moves and removes these files.
 */
function linesOf(text: string): { lines: Line[]; ignored: number } {
  const whole = text.split('\n');
  // A kill or a full disk may have cut the last line.
  whole.pop();
  const lines = whole.map(parsed).filter(line => line !== undefined);
  return { lines, ignored: whole.length - lines.length };
}

function parsed(text: string): Line | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(line)) return undefined;
  const { version, baseUrl, projectId, removed } = line;
  if (version === 1 && typeof baseUrl === 'string' && isId(projectId)) return { version, baseUrl, projectId };
  if (line.table === true) return { table: true };
  if (isId(removed)) return { removed };
  return isEntry(line) ? entryOf(line) : undefined;
}

const entryOf = ({ submissionId, changedAt, files, pending, isErased }: Entry): Entry => ({
  ...{ submissionId, changedAt, files },
  ...(pending && { pending }),
  ...(isErased && { isErased }),
});

function isEntry(line: object): line is Entry {
  const { submissionId, changedAt, files, pending, isErased } = line as Record<keyof Entry, unknown>;
  if (!isId(submissionId) || typeof changedAt !== 'string' || !isObject(files)) return false;
  if (isErased !== undefined && typeof isErased !== 'boolean') return false;
  const paths: unknown = pending ?? [];
  const isPath = (path: unknown) => isPathOf(submissionId, path);
  const isFile = (file: unknown) =>
    isObject(file) &&
    isPath(file.path) &&
    Number.isFinite(file.size) &&
    Number.isFinite(file.mtimeMs) &&
    isSha256(file.sha256);
  return Object.values(files).every(isFile) && Array.isArray(paths) && paths.every(isPath);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isSha256 = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
