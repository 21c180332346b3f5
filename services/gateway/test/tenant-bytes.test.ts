import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashToken, mintToken } from '@recording-request/contract/tokens';
import type { ArchivePiece } from '@recording-request/proto/exports/v1/exports';
import { type Certificate, makeAuthority } from '@recording-request/stack/authority';
import { createRandom } from '@recording-request/stack/random';
import { type Findings, type ReadTarget, readErratically } from '@recording-request/testing/erratic-readers';
import { bytesOfOthers, type Mark, markedBytes } from '@recording-request/testing/marked-bytes';
import { startFakeStore } from './fake-store.ts';
import { troubledStore } from './marked-store.ts';
import { startTestGateway } from './test-service.ts';

const MIN_MS = 12_000;
const MAX_MS = 60_000;
const MIN_RESPONSES = 150;
const READERS = 24;
// After a shorter pause, the gateway closes the store connection of an idle read.
const PAUSE_MS = 7_000;
const SEED = process.env.SEED ?? 'two tenants';
const SIZES = [1, 17, 1_417, 2_000, 70_000, 1_500_000, 24_000_000];
const MARKS: Mark[] = ['ada', 'ben'];
const ARCHIVED = [3, 5, 2];

const id = (mark: Mark, number: number) =>
  `019a0000-0000-7000-8000-0000000${mark === 'ada' ? 'a' : 'b'}${String(number).padStart(4, '0')}`;
const headerOf = (mark: Mark, number: number) => markedBytes(mark, `header ${number}`, 60);

/** Makes two owners with videos and an archive each, and everything that a gateway must return to them. */
function tenants(storeUrl: string) {
  const objects = new Map<string, Buffer>();
  const tokens = MARKS.map(mark => ({ mark, token: mintToken('prj') }));
  const targets: ReadTarget[] = [];
  for (const { mark, token } of tokens) {
    for (const [number, size] of SIZES.entries()) {
      const content = markedBytes(mark, `video ${number}`, size);
      objects.set(`/${mark}/${number}`, content);
      targets.push({ path: `/project/${token}/submissions/${id(mark, number)}/video`, content });
    }
    const parts = ARCHIVED.flatMap(number => [headerOf(mark, number), objects.get(`/${mark}/${number}`)!]);
    targets.push({ path: `/project/${token}/export/project.zip`, content: Buffer.concat(parts) });
  }
  const markOf = (ownerId: string): Mark => (ownerId === id('ada', 0) ? 'ada' : 'ben');

  function locate(mark: Mark, from: number): ArchivePiece[] {
    const pieces: ArchivePiece[] = [];
    let at = 0;
    for (const number of ARCHIVED) {
      const [header, length] = [headerOf(mark, number), SIZES[number]!];
      if (at + header.length > from)
        pieces.push({ source: { $case: 'content', value: header.subarray(Math.max(0, from - at)) } });
      at += header.length;
      const offset = Math.max(0, from - at);
      if (length > offset) {
        const object = { url: `${storeUrl}/${mark}/${number}`, offset, length: length - offset };
        pieces.push({ source: { $case: 'object', value: { ...object, cipherKey: Buffer.alloc(0) } } });
      }
      at += length;
    }
    return pieces;
  }

  const behind = {
    projects: {
      async resolveDashboardToken({ tokenHash }: { tokenHash: Uint8Array }) {
        const { mark } = tokens.find(({ token }) => hashToken(token).equals(tokenHash))!;
        return { ownerId: id(mark, 0), projectId: id(mark, 0) };
      },
    },
    submissions: {
      async getMedia({ ownerId, submissionId }: { ownerId: string; submissionId: string }) {
        const [mark, number] = [markOf(ownerId), Number(submissionId.slice(-4))];
        const url = `${storeUrl}/${mark}/${number}`;
        return { url, size: SIZES[number]!, mimeType: 'video/webm', etag: `"${mark} ${number}"`, fileName: 'a.webm' };
      },
    },
    exports: {
      async openArchive({ ownerId }: { ownerId: string }) {
        const size = ARCHIVED.reduce((sum, number) => sum + SIZES[number]! + 60, 0);
        return { archiveId: markOf(ownerId), etag: '"zip"', size, mayDiffer: false };
      },
      async locateArchive({ ownerId, offset, maxPieces }: { ownerId: string; offset: number; maxPieces: number }) {
        return { pieces: locate(markOf(ownerId), offset).slice(0, maxPieces) };
      },
      reportArchive: async () => ({}),
    },
  };
  return { objects, targets, behind };
}

const MANY = '100000';
const UNBOUNDED = Object.fromEntries(
  ['RATE_LIMIT_TOKEN_PER_MINUTE', 'RATE_LIMIT_ADDRESS_PER_MINUTE', 'EXPORTS_AT_ONCE', 'MEDIA_AT_ONCE']
    .flatMap(name => (name.endsWith('ONCE') ? [name, `${name}_PER_OWNER`, `${name}_PER_TOKEN`] : [name]))
    .map(name => [name, MANY]),
);

async function readBothTenants(tls?: { certificate: Certificate; caFile: string }): Promise<Findings> {
  const random = createRandom(SEED);
  await using store = await startFakeStore(tls?.certificate);
  const { objects, targets, behind } = tenants(store.url);
  store.answer = troubledStore(objects, random.fork('store'));
  await using gateway = await startTestGateway(behind, { ...UNBOUNDED, ...(tls && { S3_CA_FILE: tls.caFile }) });
  const startedAt = Date.now();
  return await readErratically(targets, {
    ...{ baseUrl: gateway.base, random, readers: READERS, pauseMs: PAUSE_MS },
    isEnough({ responses }) {
      const ms = Date.now() - startedAt;
      return ms > MAX_MS || (ms > MIN_MS && responses >= MIN_RESPONSES);
    },
  });
}

function judge({ wrong, responses }: Findings): void {
  const foreign = wrong.map(({ target, status, range, got }) => {
    const mark: Mark = bytesOfOthers('ada', target.content) === 0 ? 'ada' : 'ben';
    return { status, range, length: got.length, bytesOfOthers: bytesOfOthers(mark, got) };
  });
  assert.deepEqual(foreign, [], `with SEED=${JSON.stringify(SEED)}`);
  assert.ok(responses >= MIN_RESPONSES, `only ${responses} responses were compared`);
}

test('no reader gets a byte of another tenant or another offset, however erratic the reader and the store are', async () => {
  judge(await readBothTenants());
});

test('the same holds for a store over TLS', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'recording-request-tenants-'));
  try {
    const authority = await makeAuthority();
    const caFile = join(dir, 'ca.crt');
    await writeFile(caFile, authority.cert);
    judge(await readBothTenants({ certificate: await authority.issue(['localhost']), caFile }));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
