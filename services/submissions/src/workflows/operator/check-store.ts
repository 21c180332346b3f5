import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { partsOf, type StoredPart } from '../../domain/clips/submission.ts';
import { type ObjectOwner, ownerOfKey } from '../../domain/object-owner.ts';
import type { ExpectedObject, ExpectedPage } from '../../store/stored-objects.ts';
import { readWhole } from './read-object.ts';

export type CheckContext = Pick<Context, 'objects' | 'storedObjects'>;

export interface Finding {
  kind: 'missing' | 'wrongSize' | 'wrongSha256' | 'orphaned' | 'foreign';
  key: string;
  size: number;
  expectedSize: number;
  deleted: boolean;
}

/** The result of one batch. */
export interface CheckedBatch {
  expected: number;
  objects: number;
  bytesRead: number;
  young: number;
  findings: Finding[];
  /** The start of the next batch; undefined after the last one. */
  next: string | undefined;
}

const ROWS = 500;
// Few rows, because a deep check reads the rows' videos.
const DEEP_ROWS = 10;

const nothing = (): Omit<CheckedBatch, 'next'> => ({ expected: 0, objects: 0, bytesRead: 0, young: 0, findings: [] });

export type RecordsOf = 'submissions' | 'uploads' | 'archives';

/** Checks that the store has the objects that some records name. */
export async function checkRecords(
  context: CheckContext,
  of: RecordsOf,
  { after, deep }: { after: string; deep: boolean },
  signal: AbortSignal,
): Promise<CheckedBatch> {
  const page = await pageOf(context, of, after, deep ? DEEP_ROWS : ROWS);
  const objects = page.objects.flatMap(partsOf);
  const doubtful = await unlistedOf(context, objects, page.range, signal);
  const found: CheckedBatch = { ...nothing(), expected: objects.length, next: page.next };
  for (const object of doubtful) await lookUp(context, object, found);
  if (!deep) return found;
  const faulty = new Set(found.findings.map(({ key }) => key));
  for (const object of page.objects) {
    const parts = partsOf(object);
    if (object.sha256 === undefined || parts.some(({ key }) => faulty.has(key))) continue;
    found.bytesRead += object.size;
    const isSame = await hasSha256(context, object, signal);
    if (!isSame && (await isNamed(context, parts[0]!.key)))
      found.findings.push({ ...about(object), kind: 'wrongSha256', size: object.size });
  }
  return found;
}

const about = ({ key, size }: StoredPart) => ({ key, expectedSize: size, deleted: false });

function pageOf({ storedObjects }: CheckContext, of: RecordsOf, after: string, limit: number): Promise<ExpectedPage> {
  if (of === 'submissions') return storedObjects.ofSubmissions(after, limit);
  return of === 'uploads' ? storedObjects.ofUpload(after) : storedObjects.ofArchives(after, limit);
}

/**
 * Returns the objects that the listing lacks or shows with another size. The store may have changed since the listing.
 */
async function unlistedOf(
  { objects }: CheckContext,
  expected: StoredPart[],
  range: ExpectedPage['range'],
  signal: AbortSignal,
): Promise<StoredPart[]> {
  if (!range || expected.length === 0) return expected;
  const left = new Map(expected.map(object => [object.key, object]));
  for (let after = range.after; ; ) {
    signal.throwIfAborted();
    const page = await objects.listPage(range.prefix, after);
    for (const { key, size } of page.objects) if (left.get(key)?.size === size) left.delete(key);
    after = page.objects.at(-1)?.key ?? '';
    if (page.isLast || left.size === 0 || after > range.to) return [...left.values()];
  }
}

/**
 * Also reads the record again, because the service may have correctly removed an object that the record named a moment
 * ago.
 */
async function lookUp(context: CheckContext, object: StoredPart, into: CheckedBatch): Promise<void> {
  const stored = await context.objects.stat(object.key);
  if (stored?.size === object.size || !(await isNamed(context, object.key))) return;
  into.findings.push({ ...about(object), kind: stored ? 'wrongSize' : 'missing', size: stored?.size ?? 0 });
}

async function isNamed({ storedObjects }: CheckContext, key: string): Promise<boolean> {
  const owner = ownerOfKey(key);
  return typeof owner === 'object' && (await storedObjects.named([{ key, owner }])).has(key);
}

async function hasSha256({ objects }: CheckContext, object: ExpectedObject, signal: AbortSignal): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    for (const part of partsOf(object)) for await (const chunk of readWhole(objects, part, signal)) hash.update(chunk);
  } catch (error) {
    // The object may be lost, or may have been removed correctly: the caller decides after it has read the records
    // again.
    for (const { key } of partsOf(object)) if ((await objects.stat(key)) === undefined) return false;
    throw error;
  }
  return hash.digest('hex') === object.sha256;
}

/** Checks that a record names each of some stored objects. Objects stored since `before` may have no record yet. */
export async function checkObjects(
  { objects, storedObjects }: CheckContext,
  { after, before, deleteOrphans }: { after: string; before: Date; deleteOrphans: boolean },
): Promise<CheckedBatch> {
  const page = await objects.listPage('', after);
  const found = { ...nothing(), objects: page.objects.length };
  const owned: { key: string; owner: ObjectOwner; size: number; modifiedAt: Date }[] = [];
  for (const { key, size, modifiedAt } of page.objects) {
    const owner = ownerOfKey(key);
    if (owner === undefined) found.findings.push({ kind: 'foreign', key, size, expectedSize: 0, deleted: false });
    else if (owner !== 'own') owned.push({ key, owner, size, modifiedAt });
  }
  const named = await storedObjects.named(owned);
  const orphans = owned.filter(({ key, modifiedAt }) => {
    if (named.has(key)) return false;
    if (modifiedAt <= before) return true;
    found.young += 1;
    return false;
  });
  if (deleteOrphans && orphans.length > 0) await objects.remove(orphans.map(({ key }) => key));
  for (const { key, size } of orphans)
    found.findings.push({ kind: 'orphaned', key, size, expectedSize: 0, deleted: deleteOrphans });
  return { ...found, next: page.isLast ? undefined : page.objects.at(-1)!.key };
}
