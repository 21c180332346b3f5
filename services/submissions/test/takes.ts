import { request } from 'node:http';
import { after, before } from 'node:test';
import { tusRequest } from '@recording-request/harness/tus';
import { DomainError } from '@recording-request/kit/errors';
import { createFairBudget } from '@recording-request/kit/fair-budget';
import { PLAINTEXT } from '@recording-request/kit-rpc/internal/internal';
import type { Context } from '../src/context.ts';
import { createKeptChecksums } from '../src/domain/uploads/running-checksums.ts';
import type { UploadKey } from '../src/domain/uploads/upload.ts';
import { createLandingsUnderWay } from '../src/memory/landings-under-way.ts';
import { createArchiveStore } from '../src/store/archives.ts';
import { createBackupHold } from '../src/store/backup-hold.ts';
import { createDeadLetterStore } from '../src/store/dead-letters.ts';
import { createErasureStore } from '../src/store/erasures.ts';
import { openModels } from '../src/store/models.ts';
import { createNoteStore } from '../src/store/notes.ts';
import { createSubmissionStore } from '../src/store/submissions.ts';
import { createUploadStore } from '../src/store/uploads.ts';
import { startTusServer } from '../src/tus/server.ts';
import type { LandContext } from '../src/workflows/uploads/land-upload.ts';
import { create, speech, startTestSubmissions, type TestSubmissions } from './test-service.ts';

/** A service for takes that have not landed. It starts before the tests of a file and stops after them. */
export let harness: TestSubmissions;
before(async () => {
  harness = await startTestSubmissions({
    UPLOAD_HOLD_SECONDS: '600',
    UPLOAD_ENDED_SECONDS: '2',
    HOLD_RENEW_SECONDS: '1',
    STUCK_SECONDS: '600',
  });
});
after(async () => {
  await harness?.[Symbol.asyncDispose]();
});

export async function begun(ownerId = harness.ownerId) {
  const { projectId, links } = await harness.project({}, ownerId);
  return { projectId, linkId: links[0]!.linkId, ...(await harness.begin(projectId, links[0]!.linkId, ownerId)) };
}

/**
 * Returns a complete take that is about to land, with its response. `isPaged` marks the take as one with very many
 * parts, which a landing joins into one object.
 */
export async function finishing({ isPaged = false } = {}) {
  const response = await begun();
  const body = (await speech()).bytes;
  const { url, id } = await create(harness, response);
  await tusRequest(url, 'PATCH', { ...response.headers, 'Upload-Offset': '0' }, body);
  await harness.uploads.updateOne({ _id: id }, { $set: { length: body.length, completeAt: new Date(), isPaged } });
  const { uploads } = await otherProcess();
  await uploads.finish(await keyOf(id));
  // The late time prevents the service's own sweeper from landing the take.
  await harness.uploads.updateOne({ _id: id }, { $set: { nextTryAt: new Date(Date.now() + 600_000) } });
  return { ...response, id };
}

/** Returns the landing context of a second process; `parts` replaces some of the context's fields. */
export async function otherProcess(parts: Partial<LandContext> = {}): Promise<LandContext> {
  const models = openModels(harness.connection);
  return {
    ...{ config: harness.config, log: harness.log, landings: createLandingsUnderWay() },
    ...{ uploads: createUploadStore(models), submissions: createSubmissionStore(models) },
    uploadChecksums: createKeptChecksums(),
    archives: createArchiveStore(models),
    backupHold: createBackupHold(models),
    ...{ erasures: createErasureStore(models), deadLetters: createDeadLetterStore(models), objects: harness.objects },
    ...{ projects: harness.projects, media: harness.media },
    ...parts,
  };
}

/** Starts the upload server of a second process; `parts` replaces some fields of its context. */
export async function otherUploads(parts: Partial<Context>) {
  const config = { ...harness.config, ...parts.config, httpListen: '127.0.0.1:0' };
  const context = { ...(await otherProcess()), notes: createNoteStore(openModels(harness.connection)) };
  const server = await startTusServer({
    internal: PLAINTEXT,
    ...{ ...context, uploadObjects: harness.objects, uploadMemory: createFairBudget(config.uploadMemoryBytes) },
    ...parts,
    config,
  } as Context);
  return { url: `http://${server.address}/uploads`, [Symbol.asyncDispose]: () => server.close() };
}

/** Starts a PATCH whose bytes the test sends itself. */
export function trickle(url: string, headers: Record<string, string>, length: number) {
  const answer = Promise.withResolvers<number>();
  const outgoing = request(url, {
    method: 'PATCH',
    headers: {
      'Upload-Offset': '0',
      ...headers,
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': String(length),
    },
  });
  outgoing.on('error', answer.reject).on('response', response => answer.resolve(response.resume().statusCode!));
  return { outgoing, answer: answer.promise };
}

/** Ends the hold of an upload by moving the time of its last byte into the past. */
export const outlast = (id: string) => harness.uploads.updateOne({ _id: id }, { $set: { lastByteAt: new Date(0) } });

export const submissionsOf = async (projectId: string) =>
  (
    await harness.submissions.listSubmissions({
      ownerId: harness.ownerId,
      projectId,
      filter: undefined,
      pageSize: 10,
      cursor: '',
    })
  ).submissions;

export async function keyOf(id: string): Promise<UploadKey> {
  return { id, projectId: String((await harness.uploads.findOne({ _id: id }))!.projectId) };
}

export const keysIn = async (prefix: string) =>
  (await Array.fromAsync(harness.objects.list(prefix))).map(({ key }) => key.slice(prefix.length));

export const noVideo: typeof harness.media.inspect = () =>
  Promise.reject(new DomainError('unprocessable', 'This take is no video.'));
