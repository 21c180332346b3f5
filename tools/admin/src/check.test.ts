import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CheckStoreRequest,
  type CheckStoreResponse,
  StoreFinding_Kind,
} from '@recording-request/proto/operator/v1/submissions';
import { check } from './check.ts';
import type { CheckCommand } from './command.ts';

const COMMAND: CheckCommand = { name: 'check', deep: false, deleteOrphans: false, orphanAgeHours: 24 };
const NOBODY = { ask: undefined, show: () => {} };

/** Runs the command against a service that returns these results, one per call. */
async function checked(command: CheckCommand, ...answers: Partial<CheckStoreResponse>[]) {
  const asked: unknown[] = [];
  const none = { nextCursor: '', expected: 0, objects: 0, bytesRead: 0, young: 0, findings: [] };
  const checkStore = async (request: unknown) => {
    asked.push(request);
    return { ...none, ...answers[asked.length - 1] };
  };
  return { report: await check({ checkStore } as never, command, NOBODY), asked: asked as CheckStoreRequest[] };
}

const orphan = { kind: StoreFinding_Kind.KIND_ORPHANED, key: 'uploads/u/0', size: 3, expectedSize: 0, deleted: false };
const missing = { ...orphan, kind: StoreFinding_Kind.KIND_MISSING, key: 'submissions/p/s/source' };

test('walks to the end, and exits with 0 on agreement', async () => {
  const { report, asked } = await checked(COMMAND, { nextCursor: 'objects:', expected: 3 }, { objects: 4, young: 1 });
  assert.deepEqual(
    asked.map(({ cursor }) => cursor),
    ['', 'objects:'],
  );
  assert.equal(report.failed, false);
  assert.deepEqual(report.lines, [
    '3 objects that records name, 4 of the store',
    '1 have no record, but are too new to be orphans',
    'MongoDB and the object store agree',
  ]);
});

test('names each problem with its key, and exits with 1', async () => {
  const { report } = await checked(COMMAND, { findings: [missing, orphan] });
  assert.equal(report.failed, true);
  assert.match(report.lines.join('\n'), /^missing +3 +0 +submissions\/p\/s\/source$/m);
  assert.equal(report.lines.at(-1), 'they do not agree: 1 missing, 1 orphaned');
});

test('reports deleted and unknown objects without disagreement', async () => {
  const foreign = { ...orphan, kind: StoreFinding_Kind.KIND_FOREIGN, key: 'else' };
  const command = { ...COMMAND, deleteOrphans: true, orphanAgeHours: 2 };
  const { report, asked } = await checked(command, { findings: [{ ...orphan, deleted: true }, foreign] });
  assert.equal(report.failed, false);
  assert.equal(asked[0]!.orphanAgeSeconds, 7_200);
  assert.match(report.lines.join('\n'), /^orphaned, deleted /m);
});

test('keeps a thousand findings and counts all', async () => {
  const { report } = await checked(COMMAND, { findings: Array.from({ length: 2_500 }, () => orphan) });
  assert.ok(report.lines.includes('and 1,500 more'));
});
