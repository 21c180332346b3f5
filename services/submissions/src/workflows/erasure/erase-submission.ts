import { TOMBSTONE_DAYS } from '@recording-request/events/tombstones';
import { DomainError } from '@recording-request/kit/errors';
import type { Objects } from '@recording-request/kit-objects/objects';
import { inSpan } from '@recording-request/kit-telemetry/span';
import type { Context } from '../../context.ts';
import { type ErasedPart, NOTHING, nextPurge, sumOf, type Tally, tallyOf } from '../../domain/erasure.ts';
import { LARGE_OBJECTS, submissionPrefix, uploadPrefix } from '../../domain/object-keys.ts';
import type { AnswerKey, Erasable } from '../../store/erasures.ts';
import { endArchives } from '../exports/end-archives.ts';
import { mapSettled } from '../map-settled.ts';
import { purgeUploads } from './purge-uploads.ts';

const DAY_MS = 86_400_000;

export type EraseContext = Pick<
  Context,
  'config' | 'log' | 'archives' | 'erasures' | 'deadLetters' | 'objects' | 'projects'
>;

export interface ErasedSubmission {
  projectId: string;
  tally: Tally;
  /** When an earlier erasure happened; undefined without one. */
  erasedBeforeAt: Date | undefined;
  /**
   * The link whose person is erased with the submission; "" if no person is erased. The caller must also erase the data
   * of all events about this link.
   */
  linkId: string;
}

/** The counts of the removed data, and the link whose person was removed. */
type Removed = Tally & Pick<ErasedSubmission, 'linkId'>;

/** The maximum number of submissions, or of uploads, in one step. */
export const BATCH = 100;
const CONCURRENCY = 4;
/** The sweeper continues an interrupted erasure after this time. */
export const RESUME_MS = 60_000;

/**
 * Erases a submission, and prevents late results from restoring it. Can be stopped at any line and repeated. Fails with
 * `not_found` for the id of a submission that never landed or whose tombstone has expired.
 */
export async function eraseSubmission(context: EraseContext, id: string): Promise<ErasedSubmission> {
  const submission = await findErasable(context, id);
  const { linkId, ...tally } = await erase(context, submission);
  return { projectId: submission.projectId, tally, erasedBeforeAt: submission.erasedAt, linkId };
}

/** Counts what `eraseSubmission` would remove. */
export async function tallySubmission(context: EraseContext, id: string): Promise<ErasedSubmission> {
  const { erasures, deadLetters, objects } = context;
  const { projectId, erasedAt, answer } = await findErasable(context, id);
  const prefixes = [submissionPrefix(projectId, id)];
  if (answer) for await (const uploadId of erasures.uploadIds(answer)) prefixes.push(uploadPrefix(uploadId));
  const held = await tallyPrefixes(objects, prefixes);
  const notes = answer ? await erasures.countNotes(answer) : 0;
  const failed = await deadLetters.count({ submissionId: id });
  const counts = { submissions: erasedAt ? 0 : 1, uploads: prefixes.length - 1, notes, deadLetters: failed };
  const { linkId, ...people } = answer ? await forgetPerson(context, { id, projectId, answer }, true) : NO_PERSON;
  return { projectId, tally: { ...held, ...counts, ...people }, erasedBeforeAt: erasedAt, linkId };
}

export async function eraseEach(context: EraseContext, submissions: Erasable[]): Promise<Tally> {
  return sumOf(await mapSettled(submissions, submission => erase(context, submission), { atOnce: CONCURRENCY }));
}

const erase = (context: EraseContext, submission: Erasable): Promise<Removed> =>
  inEraseSpan(submission, async () => {
    if (submission.erasedAt) return removeAll(context, submission, submission.erasedAt);
    const buried = await context.erasures.bury(submission, RESUME_MS);
    const removed = await removeAll(context, submission);
    return { ...removed, submissions: buried ? 1 : 0 };
  });

const inEraseSpan = <T>({ id: submissionId, projectId, trace: cause }: Erasable, run: () => Promise<T>): Promise<T> =>
  inSpan('erase', { about: { projectId, submissionId }, cause, as: 'link' }, run);

/** Returns when late results of an erasure are removed next; undefined when the tombstone has expired. */
export const nextPurgeOf = ({ eraseAgainSeconds }: Context['config'], erasedAt: Date, now: Date): Date | undefined =>
  nextPurge(erasedAt, now, { againMs: eraseAgainSeconds * 1_000, tombstoneMs: TOMBSTONE_DAYS * DAY_MS });

/** Records a finished purge of a project or a link, unless more is left. */
export async function notePurged(
  { config, erasures }: EraseContext,
  { id, at }: { id: string; at: Date },
  { done }: ErasedPart,
): Promise<void> {
  if (done) await erasures.projectPurged(id, nextPurgeOf(config, at, await erasures.now()));
}

/** Removes everything except the record, which has been a tombstone since `erasedAt`. */
export const purgeSubmission = (context: EraseContext, submission: Erasable, erasedAt: Date): Promise<Tally> =>
  inEraseSpan(submission, () => removeAll(context, submission, erasedAt));

async function removeAll(context: EraseContext, submission: Erasable, erasedAt?: Date): Promise<Removed> {
  const { config, erasures, deadLetters, objects } = context;
  // Archives that were started after the erasure do not show the submission and may be in use, so they stay. Only an
  // interrupted erasure can have left older archives.
  if (!erasedAt || submission.answer) await endArchives(context, submission.projectId);
  const failed = await deadLetters.remove({ submissionId: submission.id });
  const stored = tallyOf(await objects.purge(submissionPrefix(submission.projectId, submission.id), LARGE_OBJECTS));
  const { id, projectId, answer } = submission;
  const { linkId, ...ofAnswer } = answer
    ? await removeAnswer(context, { id, projectId, answer })
    : { ...NOTHING, ...NO_PERSON };
  const now = await erasures.now();
  await erasures.purged(submission, nextPurgeOf(config, erasedAt ?? now, now));
  return { ...sumOf([stored, ofAnswer, { deadLetters: failed }]), linkId };
}

interface ErasedAnswer {
  id: string;
  projectId: string;
  answer: AnswerKey;
}

/** Removes the uploads and notes of an answer, and the person if this was the last clip of the response. */
async function removeAnswer(context: EraseContext, answered: ErasedAnswer): Promise<Removed> {
  const { erasures } = context;
  const { projectId, answer } = answered;
  const notes = await erasures.removeNotes(answer);
  // The erasure of a project removes its people with its links.
  const isProjectErased = (await erasures.findProject(projectId)) !== undefined;
  const { linkId, ...people } = isProjectErased ? NO_PERSON : await forgetPerson(context, answered, false);
  const tallies: Partial<Tally>[] = [{ notes, ...people }];
  for (;;) {
    const ids = await erasures.emptyUploads(answer, BATCH);
    if (ids.length === 0) return { ...sumOf(tallies), linkId };
    tallies.push(await purgeUploads(context, ids));
  }
}

type ForgottenPerson = Pick<Removed, 'references' | 'people' | 'linkId'>;

const NO_PERSON: ForgottenPerson = { references: 0, people: 0, linkId: '' };

async function forgetPerson(
  { erasures, projects }: EraseContext,
  { id, projectId, answer }: ErasedAnswer,
  dryRun: boolean,
): Promise<ForgottenPerson> {
  if (await erasures.hasOtherClip({ ...answer, projectId }, id)) return NO_PERSON;
  const origin = { linkId: answer.linkId, responseSessionId: answer.responseId };
  const { references, people, linkId } = await projects.forgetReference({ projectId, origin, dryRun });
  return { references, people, linkId };
}

/** Removes the results of a job that was still running when its submission was erased. */
export async function removeLateObjects(
  { erasures, objects }: Pick<EraseContext, 'erasures' | 'objects'>,
  projectId: string,
  submissionId: string,
): Promise<void> {
  const submission = await erasures.find(submissionId);
  if (submission?.erasedAt) await objects.purge(submissionPrefix(projectId, submissionId), LARGE_OBJECTS);
}

export async function tallyPrefixes(objects: Objects, prefixes: string[]): Promise<Tally> {
  const tallies: Partial<Tally>[] = [];
  for (const prefix of prefixes) tallies.push(tallyOf(await objects.holdings(prefix)));
  return sumOf(tallies);
}

async function findErasable({ erasures }: EraseContext, id: string): Promise<Erasable> {
  const submission = await erasures.find(id);
  if (!submission) throw new DomainError('not_found', 'There is no such submission.');
  return submission;
}
