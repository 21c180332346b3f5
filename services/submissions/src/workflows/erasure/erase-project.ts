import { newEvent } from '@recording-request/events/event';
import { outboxEntry } from '@recording-request/events/kafka';
import { isOutage } from '@recording-request/kit/outage';
import type { Context } from '../../context.ts';
import { type ErasedPart, sumOf, type Tally, tallyOf } from '../../domain/erasure.ts';
import { projectPrefix, uploadPrefix } from '../../domain/object-keys.ts';
import type { ErasedProject } from '../../store/erasures.ts';
import { endArchives } from '../exports/end-archives.ts';
import { resumeLinkErasure } from './erase-link.ts';
import { BATCH, type EraseContext, eraseEach, notePurged, RESUME_MS, tallyPrefixes } from './erase-submission.ts';
import { recordsEndAt } from './kafka-retention.ts';
import { purgeUploads } from './purge-uploads.ts';

/**
 * Erases a limited part of a project: call it until it is done. From the first call on, the project accepts no uploads.
 * Can be stopped at any line and repeated.
 */
export async function eraseProject(context: EraseContext, id: string): Promise<ErasedPart> {
  const { erasures } = context;
  await erasures.closeProject(id, RESUME_MS);
  await endArchives(context, id);
  const part = await erasePart(context, id);
  const { at } = (await erasures.findProject(id))!;
  await notePurged(context, { id, at }, part);
  return part;
}

/** Counts what `eraseProject` would remove. */
export async function tallyProject({ erasures, deadLetters, objects }: EraseContext, id: string): Promise<Tally> {
  const prefixes = [projectPrefix(id)];
  for await (const uploadId of erasures.uploadIds({ projectId: id })) prefixes.push(uploadPrefix(uploadId));
  const counts = { ...(await erasures.countOfProject(id)), deadLetters: await deadLetters.count({ projectId: id }) };
  return { ...(await tallyPrefixes(objects, prefixes)), ...counts };
}

/**
 * Continues interrupted erasures of projects and links, and removes late results, for at most TURN_MS per turn of the
 * sweeper. A project that takes longer than PART_MS waits until the other due projects have had their turn.
 */
export async function resumeProjectErasures(context: EraseContext & Pick<Context, 'kafka'>): Promise<void> {
  const { erasures, log } = context;
  for (const end = performance.now() + TURN_MS; performance.now() < end; ) {
    const project = await erasures.takeDueProject(RESUME_MS);
    if (!project) return;
    const { id: projectId, owned } = project;
    try {
      if (project.link) await resumeLinkErasure(context, project, PART_MS);
      else if (owned && !owned.doneAt) await eraseOwnedProject(context, project, PART_MS);
      else await notePurged(context, project, await erasePart(context, projectId));
    } catch (error) {
      if (isOutage(error)) throw error;
      log.warn({ err: error, projectId }, 'The erasure of a project stopped; a later turn of the sweeper continues it');
    }
  }
}

const TURN_MS = 20_000;
const PART_MS = 5_000;
// A project can have a hundred thousand links.
const LINKS_DEADLINE_MS = 60_000;

/**
 * Erases a project for its owner, for at most `limitMs`; the next turn continues an unfinished erasure. Can be stopped
 * at any line and repeated.
 */
export async function eraseOwnedProject(
  context: EraseContext & Pick<Context, 'kafka'>,
  { id, at, owned }: ErasedProject,
  limitMs: number,
): Promise<void> {
  const { erasures, projects, kafka } = context;
  const { ownerId, announcedAt } = owned!;
  const end = performance.now() + limitMs;
  // Call this first, so that nothing new begins, and the owner no longer sees the project.
  const call = { ownerId, projectId: id, dryRun: false };
  const { counts } = await projects.eraseOwnedProject(call, { deadlineMs: LINKS_DEADLINE_MS });
  await erasures.addRemoved(id, { removedOfProject: counts ?? {} });
  if (!announcedAt) {
    const event = newEvent('project.erased', { $case: 'projectErased', value: { projectId: id, ownerId } });
    const [failure] = await kafka.publishRecords([outboxEntry(event)]);
    if (failure) throw failure;
    await erasures.announced(id);
  }
  await endArchives(context, id);
  for (;;) {
    const part = await erasePart(context, id);
    await erasures.addRemoved(id, { removed: part.tally });
    if (part.done) {
      await erasures.done(id, await recordsEndAt(context));
      return await notePurged(context, { id, at }, part);
    }
    const now = await erasures.now();
    if (performance.now() >= end) return await erasures.projectPurged(id, now);
    await erasures.projectPurged(id, new Date(now.getTime() + RESUME_MS));
  }
}

async function erasePart(context: EraseContext, id: string): Promise<ErasedPart> {
  const { erasures, deadLetters, objects } = context;
  const tallies = [await eraseEach(context, await erasures.ofProject(id, BATCH))];
  tallies.push(await purgeUploads(context, await erasures.emptyUploads({ projectId: id }, BATCH)));
  const done = !(await erasures.hasRest(id));
  if (done) {
    const notes = await erasures.removeNotes({ projectId: id });
    const failed = await deadLetters.remove({ projectId: id });
    tallies.push(sumOf([{ notes, deadLetters: failed }, tallyOf(await objects.purge(projectPrefix(id)))]));
  }
  return { tally: sumOf(tallies), done };
}
