import type { ErasedOfProject } from '@recording-request/proto/projects/v1/projects';
import type { Context } from '../../context.ts';
import { type ErasedPart, NOTHING, sumOf, type Tally } from '../../domain/erasure.ts';
import { submissionPrefix, uploadPrefix } from '../../domain/object-keys.ts';
import type { ErasedProject, LinkOfProject } from '../../store/erasures.ts';
import { mapSettled } from '../map-settled.ts';
import { BATCH, type EraseContext, eraseEach, notePurged, RESUME_MS, tallyPrefixes } from './erase-submission.ts';
import { recordsEndAt } from './kafka-retention.ts';
import { purgeUploads } from './purge-uploads.ts';

export type LinkContext = EraseContext & Pick<Context, 'kafka'>;

/** A unique link: it has one response, so it has at most as many clips as an interview has questions. */
export type OwnedLink = LinkOfProject & { ownerId: string };

/** The data that one call removed, including data in the projects service. */
export interface ErasedLinkPart extends ErasedPart {
  ofProject: ErasedOfProject;
}

/** The time for which a request works on an erasure. The sweeper erases the rest. */
const FIRST_MS = 4_000;
const CONCURRENCY = 4;

export const linkOf = ({ id, owned, link }: ErasedProject): OwnedLink => ({
  ...{ linkId: id, projectId: link!.projectId, ownerId: owned!.ownerId },
});

/** Returns the recorded erasure of an owner's link. */
export async function findLinkErasure(
  { erasures }: Pick<EraseContext, 'erasures'>,
  { linkId, projectId, ownerId }: OwnedLink,
): Promise<ErasedProject | undefined> {
  const found = await erasures.findProject(linkId);
  return found?.link?.projectId === projectId && found.owned?.ownerId === ownerId ? found : undefined;
}

/**
 * Records the erasure of a link, then works on it for a short time. A repeated call changes nothing. Fails with `not_found`
 * or `unprocessable` if the owner has no such unique link.
 */
export async function beginLinkErasure(context: LinkContext, link: OwnedLink): Promise<ErasedProject> {
  const { erasures, projects, log } = context;
  await projects.eraseOwnedLink({ ...link, dryRun: true });
  const begun = await erasures.begin(link, RESUME_MS);
  if (!begun.isNew) return begun;
  try {
    await eraseLink(context, begun, FIRST_MS);
  } catch (err) {
    const { linkId, projectId } = link;
    log.warn({ err, linkId, projectId }, 'The erasure of a link stopped; a later turn of the sweeper continues it');
  }
  return (await erasures.findProject(link.linkId)) ?? begun;
}

/** Does the same for the operator. Each call continues the work, and fails if the work fails. */
export async function eraseLinkNow(context: LinkContext, link: OwnedLink): Promise<ErasedLinkPart> {
  await context.projects.eraseOwnedLink({ ...link, dryRun: true });
  return await eraseLink(context, await context.erasures.begin(link, RESUME_MS), FIRST_MS);
}

/** Continues an interrupted erasure for `limitMs`, or removes late results. */
export async function resumeLinkErasure(context: LinkContext, erasure: ErasedProject, limitMs: number): Promise<void> {
  if (!erasure.owned!.doneAt) await eraseLink(context, erasure, limitMs);
  else await notePurged(context, erasure, await erasePart(context, linkOf(erasure)));
}

/**
 * Erases a link for at most `limitMs`; the next turn continues an unfinished erasure. Can be stopped at any line and
 * repeated.
 */
async function eraseLink(context: LinkContext, erasure: ErasedProject, limitMs: number): Promise<ErasedLinkPart> {
  const { erasures, projects } = context;
  const { id } = erasure;
  const link = linkOf(erasure);
  const end = performance.now() + limitMs;
  // Call this first, so that nothing new begins, and the events about the link lose their data.
  const { counts } = await projects.eraseOwnedLink({ ...link, dryRun: false });
  const ofProject = counts!;
  await erasures.addRemoved(id, { removedOfProject: ofProject });
  const tallies: Tally[] = [];
  for (;;) {
    const part = await erasePart(context, link);
    tallies.push(part.tally);
    await erasures.addRemoved(id, { removed: part.tally });
    if (part.done) {
      await erasures.done(id, await recordsEndAt(context));
      await notePurged(context, erasure, part);
    }
    if (part.done || performance.now() >= end) return { tally: sumOf(tallies), ofProject, done: part.done };
  }
}

async function erasePart(context: EraseContext, link: OwnedLink): Promise<ErasedPart> {
  const { erasures } = context;
  const { linkId, projectId } = link;
  // A process that stopped may have left a tombstone with its files.
  const known = (await erasures.findProject(linkId))?.link?.submissionIds ?? [];
  const begun = await erasures.unfinished(projectId, known);
  const some = await erasures.ofLink(link, BATCH);
  // Record the ids before the erasure, because a tombstone does not name its link.
  await erasures.addSubmissions(
    linkId,
    some.map(({ id }) => id),
  );
  const tallies = [await eraseEach(context, [...begun, ...some])];
  tallies.push(await purgeUploads(context, await erasures.emptyUploads({ projectId, linkId }, BATCH)));
  const done = !(await erasures.hasRestOfLink(link));
  if (done) tallies.push({ ...NOTHING, notes: await erasures.removeNotes({ projectId, linkId }) });
  return { tally: sumOf(tallies), done };
}

/** Returns the ids of all of the link's submissions, including the recorded ids of erased ones. */
export async function submissionsOfLink(
  { erasures }: Pick<EraseContext, 'erasures'>,
  link: OwnedLink,
  erasure: ErasedProject | undefined,
): Promise<string[]> {
  const landed = await erasures.ofLink(link, BATCH);
  return [...new Set([...(erasure?.link?.submissionIds ?? []), ...landed.map(({ id }) => id)])];
}

/** Counts what this service still has of a link and its submissions. */
export async function tallyLink(context: EraseContext, link: OwnedLink, submissionIds: string[]): Promise<Tally> {
  const { erasures, deadLetters, objects } = context;
  const { projectId, linkId } = link;
  const prefixes = submissionIds.map(id => submissionPrefix(projectId, id));
  for await (const uploadId of erasures.uploadIds({ projectId, linkId })) prefixes.push(uploadPrefix(uploadId));
  const letters = await mapSettled(submissionIds, id => deadLetters.count({ submissionId: id }), {
    atOnce: CONCURRENCY,
  });
  const held = await mapSettled(prefixes, prefix => tallyPrefixes(objects, [prefix]), { atOnce: CONCURRENCY });
  const failed = letters.reduce((sum, count) => sum + count, 0);
  return { ...sumOf(held), ...(await erasures.countOfLink(link)), deadLetters: failed };
}
