import { newEvent } from '@recording-request/events/event';
import type { Kafka } from '@recording-request/events/kafka';
import { DomainError } from '@recording-request/kit/errors';
import type { Lease } from '@recording-request/kit/lease';
import type { Logger } from '@recording-request/kit/log';
import type { Objects } from '@recording-request/kit/objects';
import type { Holdings } from '@recording-request/kit/objects-purge';
import { NOTHING, nextPurge, sumOf, type Tally } from '../domain/erasure.ts';
import type { Submission } from '../domain/submission.ts';
import { LARGE_OBJECTS, projectPrefix, submissionPrefix, type Upload, uploadPrefix } from '../domain/upload.ts';
import type { AnswerKey, Erasable, ErasureStore } from '../store/erasures.ts';

/** Removes for good, and keeps what was removed from coming back. Each method can be stopped at any line and repeated. */
export interface Eraser {
  /** Rejects with `not_found` for an id that never landed, or whose erasure is forgotten. */
  submission(id: string): Promise<{ projectId: string; tally: Tally; erasedBeforeAt: Date | undefined }>;
  tallySubmission(id: string): ReturnType<Eraser['submission']>;
  /** A bounded part of a project: call it until it is done. No upload of the project is taken from the first call on. */
  project(id: string): Promise<{ tally: Tally; done: boolean }>;
  tallyProject(id: string): Promise<Tally>;
  /** When the last record of what is erased now has ended in Kafka; undefined where it keeps records for ever. */
  recordsEndAt(): Promise<Date | undefined>;
  /** What a job stored that went on while its submission was erased. */
  removeLate(projectId: string, submissionId: string): Promise<void>;
  /** Whether a submission that was just stored is of an erased project; then it is erased. */
  takesBack(submission: Submission): Promise<boolean>;
  /** Rejects with `not_found` for an upload or a note that was just stored for an erased project. */
  refuseUpload(upload: Pick<Upload, 'projectId'>): Promise<void>;
  refuseNotes(projectId: string): Promise<void>;
  /** What came late or was left in between, and what is past its age. */
  sweep(): Promise<void>;
}

export interface EraserOptions {
  store: ErasureStore;
  objects: Objects;
  kafka: Pick<Kafka, 'longestRetention'>;
  /** Held by the process that erases by age. */
  retentionLease: Lease;
  log: Logger;
  /** After that no job is at work any more that began before the erasure. */
  againMs: number;
  /** 0: nothing is erased by its age. */
  retentionDays: number;
}

const BATCH = 100;
const AT_ONCE = 4;
const RETENTION_BATCH = 20;
const RETENTION_BATCHES_A_TURN = 10;
const DAY_MS = 86_400_000;
// An erasure that was stopped midway is taken up by the sweeper.
const RESUME_MS = 60_000;

const inMs = (ms: number): Date => new Date(Date.now() + ms);
const inObjects = ({ objects, versions, bytes }: Holdings): Partial<Tally> => ({
  objects,
  objectVersions: versions,
  objectBytes: bytes,
});

export function createEraser(options: EraserOptions): Eraser {
  const { store, objects, kafka, againMs } = options;

  const purgeObjects = (projectId: string, id: string) => objects.purge(submissionPrefix(projectId, id), LARGE_OBJECTS);

  async function purgeUploads(ids: string[]): Promise<Tally> {
    const tallies: Partial<Tally>[] = [];
    for (const id of ids) tallies.push({ uploads: 1, ...inObjects(await objects.purge(uploadPrefix(id))) });
    await store.uploadsPurged(ids);
    return sumOf(tallies);
  }

  async function removeBelongings(answer: AnswerKey): Promise<Tally> {
    const tallies: Partial<Tally>[] = [{ notes: await store.removeNotes(answer) }];
    for (;;) {
      const ids = await store.emptyUploads(answer, BATCH);
      if (ids.length === 0) return sumOf(tallies);
      tallies.push(await purgeUploads(ids));
    }
  }

  /** Everything but the record, which is a tombstone by now. */
  async function purge(submission: Erasable, erasedAt: Date): Promise<Tally> {
    const stored = inObjects(await purgeObjects(submission.projectId, submission.id));
    const belongings = submission.answer ? await removeBelongings(submission.answer) : NOTHING;
    await store.purged(submission, nextPurge(erasedAt, new Date(), againMs));
    return sumOf([stored, belongings]);
  }

  async function erase(submission: Erasable): Promise<Tally> {
    if (submission.erasedAt) return purge(submission, submission.erasedAt);
    const { id, projectId } = submission;
    const event = newEvent('submission.erased', {
      $case: 'submissionErased',
      value: { projectId, submissionId: id },
    });
    const buried = await store.bury(submission, event, inMs(RESUME_MS));
    return sumOf([{ submissions: buried ? 1 : 0 }, await purge(submission, new Date())]);
  }

  async function eraseAll(submissions: Erasable[]): Promise<Tally> {
    const tallies: Tally[] = [];
    for (let at = 0; at < submissions.length; at += AT_ONCE)
      tallies.push(...(await Promise.all(submissions.slice(at, at + AT_ONCE).map(erase))));
    return sumOf(tallies);
  }

  async function eraseProject(id: string): Promise<{ tally: Tally; done: boolean }> {
    const tallies = [await eraseAll(await store.ofProject(id, BATCH))];
    tallies.push(await purgeUploads(await store.emptyUploads({ projectId: id }, BATCH)));
    const left = await store.countOfProject(id);
    const done = left.submissions + left.uploads === 0;
    if (done) {
      const notes = await store.removeNotes({ projectId: id });
      tallies.push(sumOf([{ notes }, inObjects(await objects.purge(projectPrefix(id)))]));
    }
    return { tally: sumOf(tallies), done };
  }

  const found = async (id: string): Promise<Erasable> => {
    const submission = await store.find(id);
    if (!submission) throw new DomainError('not_found', 'There is no such submission.');
    return submission;
  };
  const refuse = async (projectId: string, remove: () => Promise<unknown>): Promise<void> => {
    if (!(await store.findProject(projectId))) return;
    await remove();
    throw new DomainError('not_found', 'This recording link does not exist any more.');
  };

  return {
    async submission(id) {
      const submission = await found(id);
      const tally = await erase(submission);
      return { projectId: submission.projectId, tally, erasedBeforeAt: submission.erasedAt };
    },
    async tallySubmission(id) {
      const { projectId, erasedAt, answer } = await found(id);
      const prefixes = [submissionPrefix(projectId, id)];
      if (answer) for await (const uploadId of store.uploadIds(answer)) prefixes.push(uploadPrefix(uploadId));
      const held = sumOf((await holdings(prefixes)).map(inObjects));
      const notes = answer ? await store.countNotes(answer) : 0;
      const counts = { submissions: erasedAt ? 0 : 1, uploads: prefixes.length - 1, notes };
      return { projectId, tally: { ...held, ...counts }, erasedBeforeAt: erasedAt };
    },
    async project(id) {
      await store.closeProject(id, new Date(), inMs(RESUME_MS));
      const { tally, done } = await eraseProject(id);
      const { at } = (await store.findProject(id))!;
      if (done) await store.projectPurged(id, nextPurge(at, new Date(), againMs));
      return { tally, done };
    },
    async tallyProject(id) {
      const prefixes = [projectPrefix(id)];
      for await (const uploadId of store.uploadIds({ projectId: id })) prefixes.push(uploadPrefix(uploadId));
      return { ...sumOf((await holdings(prefixes)).map(inObjects)), ...(await store.countOfProject(id)) };
    },
    async recordsEndAt() {
      const keptMs = await kafka.longestRetention().catch(cause => {
        const sentence = 'Kafka does not say how long it keeps records: do the same again when it answers.';
        throw new DomainError('unavailable', sentence, { cause });
      });
      return Number.isFinite(keptMs) ? inMs(againMs + keptMs) : undefined;
    },
    async removeLate(projectId, submissionId) {
      const submission = await store.find(submissionId);
      if (submission?.erasedAt) await purgeObjects(projectId, submissionId);
    },
    async takesBack({ id, projectId }) {
      if (!(await store.findProject(projectId))) return false;
      await erase(await found(id));
      return true;
    },
    refuseUpload: ({ projectId }) =>
      refuse(projectId, async () => purgeUploads(await store.emptyUploads({ projectId }, BATCH))),
    refuseNotes: projectId => refuse(projectId, () => store.removeNotes({ projectId })),
    async sweep() {
      await purgeDue(options, { purge, eraseProject });
      await eraseByAge(options, eraseAll);
    },
  };

  async function holdings(prefixes: string[]): Promise<Holdings[]> {
    const all: Holdings[] = [];
    for (const prefix of prefixes) all.push(await objects.holdings(prefix));
    return all;
  }
}

async function purgeDue(
  { store, log, againMs }: EraserOptions,
  work: {
    purge(submission: Erasable, erasedAt: Date): Promise<Tally>;
    eraseProject(id: string): Promise<{ tally: Tally; done: boolean }>;
  },
): Promise<void> {
  const due = <T>(take: (now: Date, until: Date) => Promise<T>) => take(new Date(), inMs(RESUME_MS));
  for (let taken = 0; taken < BATCH; taken++) {
    const submission = await due(store.takeDue);
    if (!submission) break;
    try {
      const { objects, uploads } = await work.purge(submission, submission.erasedAt!);
      if (objects + uploads > 0) log.info({ submission: submission.id, objects }, 'What came late was removed');
    } catch (error) {
      // One that the object store keeps must not keep the others waiting.
      log.warn({ err: error, submission: submission.id }, 'What came late is left to a later turn');
    }
  }
  const project = await due(store.takeDueProject);
  if (!project) return;
  const { done } = await work.eraseProject(project.id);
  if (done) await store.projectPurged(project.id, nextPurge(project.at, new Date(), againMs));
}

async function eraseByAge(
  { store, log, retentionLease, retentionDays }: EraserOptions,
  eraseAll: (submissions: Erasable[]) => Promise<Tally>,
): Promise<void> {
  if (retentionDays === 0) return;
  const before = new Date(Date.now() - retentionDays * DAY_MS);
  for (let batch = 0; batch < RETENTION_BATCHES_A_TURN; batch++) {
    const old = await store.olderThan(before, RETENTION_BATCH);
    if (old.length === 0) break;
    if (!(await retentionLease.hold())) return;
    log.info({ ...(await eraseAll(old)), retentionDays }, 'Submissions past their age were erased');
  }
  await retentionLease.release();
}
