import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { DomainError } from '@recording-request/kit/errors';
import type { ClientOf } from '@recording-request/kit/grpc-client';
import { uuidv7 } from '@recording-request/kit/ids';
import type { Logger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit/objects';
import type { MediaServiceServer } from '@recording-request/proto/media/v1/media';
import type { ProjectsServiceServer } from '@recording-request/proto/projects/v1/projects';
import type { Landing } from '../adapters/tus-server.ts';
import { type LandingPorts, land } from '../domain/landing.ts';
import { submissionPrefix, type Upload, uploadPrefix } from '../domain/upload.ts';
import type { SubmissionStore } from '../store/submissions.ts';
import type { UploadStore } from '../store/uploads.ts';
import type { Eraser } from './erase-submission.ts';

export interface Lander {
  /** For the request that brought the last byte: the result, or 202 after `answerMs` while the landing goes on. */
  finish(uploadId: string): Promise<Landing>;
  /** Makes it land now, unless another process is at it. */
  drive(uploadId: string): Promise<void>;
  /** Removes the bytes of an upload that will never land. */
  discard(upload: Upload): Promise<void>;
  /** From now on nobody is kept waiting: `finish` says 202 where it has no result yet. */
  hurry(): void;
  /** Waits for what is under way. */
  idle(): Promise<void>;
}

export interface LanderOptions {
  uploads: UploadStore;
  submissions: SubmissionStore;
  eraser: Pick<Eraser, 'takesBack'>;
  objects: Objects;
  projects: ClientOf<ProjectsServiceServer>;
  media: ClientOf<MediaServiceServer>;
  log: Logger;
  answerMs: number;
  /** How long a process that died keeps others from its landing. */
  leaseMs: number;
  inspectMs: number;
  graceSec: number;
}

// Some ten minutes of trying: somebody should look.
const ALARMING_FAILURES = 8;

export function createLander(options: LanderOptions): Lander {
  const { uploads, log, leaseMs } = options;
  const running = new Map<string, Promise<void>>();
  const hurried = Promise.withResolvers<void>();

  const work = async (uploadId: string): Promise<void> => {
    const workerId = uuidv7();
    const upload = await uploads.takeWorker(uploadId, workerId, leaseMs);
    if (!upload) return;
    const renewal = setInterval(
      () => void uploads.renewWorker(uploadId, workerId, leaseMs).catch(() => {}),
      leaseMs / 3,
    );
    try {
      const end = await land(upload, portsOf(options, workerId));
      log.info(
        { uploadId, submissionId: upload.submissionId, end },
        end === 'lost' ? 'A landing was taken over by another process' : 'An upload has ended',
      );
    } catch (error) {
      const failures = await uploads.failed(uploadId);
      const level = failures >= ALARMING_FAILURES ? 'error' : 'warn';
      log[level]({ err: error, uploadId, failures }, 'A landing failed and will be tried again');
      throw error;
    } finally {
      clearInterval(renewal);
      await uploads.releaseWorker(uploadId, workerId).catch(() => {});
    }
  };
  // One landing an upload in this process, whoever asks for it.
  const drive = (uploadId: string): Promise<void> => {
    const current = running.get(uploadId);
    if (current) return current;
    const started = work(uploadId).finally(() => running.delete(uploadId));
    running.set(uploadId, started);
    return started;
  };

  return {
    drive,
    discard: upload => removeBytes(options.objects, upload),
    hurry: hurried.resolve,
    async idle() {
      await Promise.allSettled(running.values());
    },
    async finish(uploadId) {
      const upload = await uploads.finish(uploadId);
      if (!upload) throw new DomainError('not_found', 'This upload does not exist.');
      // A landing that fails now is tried again by the sweeper: to the client it goes on.
      const driven = drive(uploadId).catch(error =>
        log.warn({ err: error, uploadId }, 'A landing will be tried again'),
      );
      await Promise.race([driven, delay(options.answerMs, undefined, { ref: false }), hurried.promise]);
      return await answer(uploadId, options);
    },
  };
}

async function answer(uploadId: string, { uploads, projects }: LanderOptions): Promise<Landing> {
  const upload = await uploads.find(uploadId);
  if (upload?.state === 'refused')
    throw new DomainError(upload.superseded ? 'gone' : 'unprocessable', upload.error ?? 'This take was refused.');
  if (!upload || upload.state === 'deleted') throw new DomainError('gone', 'This take was removed.');
  if (upload.state !== 'landed') return { status: 202, body: { state: 'finishing' } };
  const { response } = await projects.getResponse({ linkId: upload.linkId, responseSessionId: upload.responseId });
  const interview = (response?.settings?.interviewQuestions.length ?? 0) > 0;
  return {
    status: 200,
    body: {
      submissionId: upload.submissionId,
      responseSessionId: upload.responseId,
      questionIndex: interview ? upload.questionIndex : null,
      complete: response?.complete ?? false,
      // Relative to the upload's own address /r/<token>/uploads/<id>: the token is not known here.
      thankYouUrl: interview && response?.complete ? '../thank-you' : null,
    },
  };
}

function portsOf(options: LanderOptions, workerId: string): LandingPorts {
  const { uploads, submissions, eraser, objects, projects, media } = options;
  const keyOf = (upload: Upload) => ({ linkId: upload.linkId, responseSessionId: upload.responseId });
  return {
    graceSec: options.graceSec,
    async response(upload) {
      const { response } = await projects.getResponse(keyOf(upload));
      return response!;
    },
    async assemble(upload, key) {
      const sha256 = await assemble(objects, upload, key);
      if (await uploads.assembled(upload.id, workerId, sha256)) return sha256;
      // Whoever lands it now needs these bytes, or removes them; where it has ended nobody comes back for them.
      if ((await uploads.find(upload.id))?.state === 'finishing') return undefined;
      const submission = await submissions.find(upload.ownerId, upload.projectId, upload.submissionId!);
      if (![submission?.source?.key, submission?.video?.key].includes(key)) await objects.remove([key]);
      return undefined;
    },
    holds: upload => uploads.renewWorker(upload.id, workerId, options.leaseMs),
    async inspect(key) {
      try {
        const { inspection } = await media.inspect({ objectKey: key }, { deadlineMs: options.inspectMs });
        return inspection;
      } catch (error) {
        if (error instanceof DomainError && error.code === 'unprocessable') throw error;
        options.log.warn({ err: error }, 'A clip lands without having been looked at');
        return undefined;
      }
    },
    async landClip(upload, submissionId) {
      const { landed } = await projects.landClip({
        ...keyOf(upload),
        questionIndex: upload.questionIndex,
        submissionId,
      });
      return landed;
    },
    async store(submission, events) {
      if (await submissions.land(submission, events)) return !(await eraser.takesBack(submission));
      // Whoever holds the upload: of what was erased nothing may stay.
      await objects.purge(submissionPrefix(submission.projectId, submission.id));
      return false;
    },
    // In this order: nobody comes back to an upload that has landed.
    async landed(upload) {
      await removeParts(objects, upload);
      await uploads.land(upload.id);
    },
    async refused(upload, reason, error) {
      // First the word, and only whose word counts removes: another process may have delivered these bytes.
      if (!(await uploads.refuse(upload.id, workerId, reason, error))) return false;
      await removeBytes(objects, upload);
      return true;
    },
  };
}

/** Streams the parts into one object and looks whether it is whole; resolves to the hex SHA-256 of its bytes. */
async function assemble(objects: Objects, upload: Upload, key: string): Promise<string> {
  const hash = createHash('sha256');
  const bytes = Readable.from(readParts(objects, upload, hash), { objectMode: false });
  await objects.put(key, bytes, { contentType: upload.filetype || 'application/octet-stream', size: upload.offset });
  const stored = await objects.stat(key);
  if (stored?.size !== upload.offset)
    throw new Error(`an upload of ${upload.offset} bytes was stored with ${stored?.size}`);
  return hash.digest('hex');
}

async function* readParts(objects: Objects, upload: Upload, hash: ReturnType<typeof createHash>) {
  for (const part of upload.parts) {
    let size = 0;
    for await (const chunk of await objects.get(part.key)) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk as Buffer;
    }
    if (size !== part.size) throw new Error(`a part of ${part.size} bytes was read with ${size}`);
  }
}

/** All of an upload that did not become a submission, also what a writer stored whose update then did not count. */
async function removeBytes(objects: Objects, upload: Upload): Promise<void> {
  await objects.purge(uploadPrefix(upload.id));
  if (upload.submissionId) await objects.purge(submissionPrefix(upload.projectId, upload.submissionId));
}

// By the prefix: also what a writer stored whose update then did not count.
async function removeParts(objects: Objects, upload: Upload): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list(uploadPrefix(upload.id))) keys.push(key);
  await objects.remove(keys);
}
