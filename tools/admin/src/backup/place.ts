import type { Readable } from 'node:stream';

/** The size of stored bytes, and their SHA-256 in hex. */
export interface Content {
  bytes: number;
  sha256: string;
}

export interface StoredFile extends Content {
  /** The path in the backup's place. */
  path: string;
}

/** An object that a record names at the backup's moment. */
export interface NamedObject {
  key: string;
  size: number | undefined;
  /** The hash in hex; undefined if the record has none. */
  sha256: string | undefined;
  /** True if the object may be missing, because a service could have removed it before the moment. */
  optional: boolean;
}

/** A file in a place, or a version of one if the place keeps versions. */
export interface Entry {
  path: string;
  /** By the clock of the place. */
  modifiedAt: Date;
  /** True if a reader of the path gets these bytes; false for an earlier version and for a delete marker. */
  isCurrent: boolean;
  versionId?: string | undefined;
}

/** The place of a backup: a folder, or a prefix of a bucket. Paths are relative to the place and have slashes. */
export interface Place {
  /** The name that the operator gave. */
  readonly name: string;
  /** Fails with NotDone or a ConfigError if the place cannot be used. Creates a missing place only if `isWritten`. */
  open(use: { isWritten: boolean }): Promise<void>;
  /** Stores a file completely or not at all, in the place of an earlier one. */
  write(path: string, source: AsyncIterable<Buffer>): Promise<Content>;
  /** Returns undefined for a missing file. */
  read(path: string): Promise<Readable | undefined>;
  /** Returns undefined for a missing file. */
  entry(path: string): Promise<Entry | undefined>;
  /**
   * Returns the content of an earlier copy of the object; undefined if there is no copy of the same size. A folder
   * reads the copy. A bucket returns the hash that the store computed, or that was verified when the copy was stored.
   */
  held(path: string, object: NamedObject): Promise<Content | undefined>;
  /** Copies an object from the product's store. Returns undefined if the store has no such object. */
  copyIn(object: NamedObject, path: string): Promise<Content | undefined>;
  /** Copies a file of `size` bytes to the product's store. */
  copyOut(path: string, to: { key: string; size: number; contentType: string }): Promise<void>;
  /** Lists all files, with all their versions. */
  list(): AsyncIterable<Entry>;
  /** Permanently removes at most 1,000 entries. Returns the paths of the entries that a lock of the place protects. */
  remove(entries: Entry[]): Promise<string[]>;
  /** Removes the incomplete files of dead processes, which no listing shows. */
  endOpenWrites(before: Date): Promise<void>;
}
