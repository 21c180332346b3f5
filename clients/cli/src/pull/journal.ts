import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missing, replaceFile } from '../config.ts';
import { EXIT, Failure } from '../failures.ts';

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
  /** It was erased on the server, and kept here by --keep-erased. */
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
 * moment. It only saves work: the server and the files decide.
 */
export class Journal {
  readonly #file: FileHandle;
  readonly #state: State;

  private constructor(file: FileHandle, state: State) {
    this.#file = file;
    this.#state = state;
  }

  /** Opens the journal of a folder. Fails if it is about another project. */
  static async open(folder: string, head: Omit<Head, 'version'>): Promise<Journal> {
    const path = join(folder, 'journal.jsonl');
    const lines = linesOf((await readFile(path, 'utf8').catch(missing)) ?? '');
    const first = lines.find((line): line is Head => 'version' in line);
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
    return new Journal(await open(path, 'a'), state);
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#state.entries;
  }

  /** Whether the table was fetched after the last change. */
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

/** Returns the whole lines: the last one may have been cut by a kill or a full disk. */
function linesOf(text: string): Line[] {
  return text.split('\n').flatMap(line => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === 'object' && value !== null ? [value as Line] : [];
    } catch {
      return [];
    }
  });
}
