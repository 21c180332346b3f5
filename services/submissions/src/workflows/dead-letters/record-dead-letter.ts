import { subjectOf } from '@recording-request/events/event';
import { isUuid } from '@recording-request/kit/ids';
import type { DeadLetter as ParkedRecord } from '@recording-request/kit-kafka/dead-letter';
import type { Context } from '../../context.ts';

const NOT_KEPT = 'Its content is too large to be kept a second time.';

/** Stores a dead letter, once however often it comes; not one of a submission or project that is erased. */
export async function recordDeadLetter(
  { deadLetters, erasures }: Pick<Context, 'deadLetters' | 'erasures'>,
  { topic, partition, offset, group, reason, key, value, tooLarge }: ParkedRecord,
  at: Date,
): Promise<void> {
  const { type, projectId, submissionId } = aboutOf(key, value);
  // Where an outbox failed, its name has spaces.
  const id = `${topic}-${partition}-${offset}-${group}`.replaceAll(' ', '-');
  const letter = { id, topic, partition, offset, group, at, eventType: type, projectId, submissionId };
  const valueBytes = value?.length ?? 0;
  const sentence = tooLarge ? `${reason}. ${NOT_KEPT}` : reason;
  await deadLetters.add({ ...letter, reason: sentence, valueBytes }, { key, value });
  // Looked at afterwards: an erasure that begins in between removes it too.
  if (projectId && (await erasures.findProject(projectId))) await deadLetters.remove({ projectId });
  if (submissionId && (await erasures.find(submissionId))?.erasedAt) await deadLetters.remove({ submissionId });
}

/** What a record is about, as far as it is an event; each "" where it says nothing that can be. */
function aboutOf(key: Buffer | null, value: Buffer | null) {
  const { type, projectId, submissionId } = subjectOf(value);
  const ofKey = key?.toString() ?? '';
  return {
    type: /^[a-z.]{1,100}$/.test(type) ? type : '',
    projectId: isUuid(projectId) ? projectId : '',
    submissionId: [submissionId, ofKey].find(isUuid) ?? '',
  };
}
