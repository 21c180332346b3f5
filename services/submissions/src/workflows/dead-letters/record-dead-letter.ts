import { subjectOf } from '@recording-request/events/event';
import { isUuid } from '@recording-request/kit/ids';
import type { DeadLetter as ParkedRecord } from '@recording-request/kit-kafka/dead-letter';
import type { Context } from '../../context.ts';

const NOT_KEPT = 'Its content is too large to be kept a second time.';

/**
 * Stores a dead letter once, even if it is delivered repeatedly. Skips dead letters of an erased submission or project.
 */
export async function recordDeadLetter(
  { deadLetters, erasures }: Pick<Context, 'deadLetters' | 'erasures'>,
  { topic, partition, offset, group, reason, key, value, tooLarge }: ParkedRecord,
  at: Date,
): Promise<void> {
  const { type, projectId, submissionId } = aboutOf(key, value);
  // The group name of an outbox contains spaces.
  const id = `${topic}-${partition}-${offset}-${group}`.replaceAll(' ', '-');
  const letter = { id, topic, partition, offset, group, at, eventType: type, projectId, submissionId };
  const valueBytes = value?.length ?? 0;
  const sentence = tooLarge ? `${reason}. ${NOT_KEPT}` : reason;
  await deadLetters.add({ ...letter, reason: sentence, valueBytes }, { key, value });
  // Checks only after the write: an erasure that starts in between removes the dead letter itself.
  if (projectId && (await erasures.findProject(projectId))) await deadLetters.remove({ projectId });
  if (submissionId && (await erasures.find(submissionId))?.erasedAt) await deadLetters.remove({ submissionId });
}

/** Returns the event type and the ids of a record; each is "" when it is missing or invalid. */
function aboutOf(key: Buffer | null, value: Buffer | null) {
  const { type, projectId, submissionId } = subjectOf(value);
  const ofKey = key?.toString() ?? '';
  return {
    type: /^[a-z.]{1,100}$/.test(type) ? type : '',
    projectId: isUuid(projectId) ? projectId : '',
    submissionId: [submissionId, ofKey].find(isUuid) ?? '',
  };
}
