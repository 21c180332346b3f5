import { newEvent } from '@recording-request/events/event';
import { outboxEntry } from '@recording-request/events/kafka';
import type { OutboxEntry } from '@recording-request/events/outbox';
import type { PersonErased } from '@recording-request/proto/events/v1/events';
import type { Link } from './domain/link.ts';
import type { Project } from './domain/project.ts';
import type { Response } from './domain/response.ts';

/*
 * The events of this service, as entries of an outbox. They contain ids and the names of settings, but nothing that an
 * owner or a contributor entered: Kafka keeps records for days, and an erasure cannot remove them.
 */

type OwnedProject = Pick<Project, '_id' | 'ownerId'>;

export const projectCreated = ({ _id: projectId, ownerId }: OwnedProject): OutboxEntry =>
  outboxEntry(newEvent('project.created', { $case: 'projectChanged', value: { projectId, ownerId, changed: [] } }));

/** `changed`: the names of the changed settings, as in the public contract. */
export const projectUpdated = ({ _id: projectId, ownerId }: OwnedProject, changed: string[]): OutboxEntry =>
  outboxEntry(newEvent('project.updated', { $case: 'projectChanged', value: { projectId, ownerId, changed } }));

export const linkRecording = (response: Response): OutboxEntry => {
  const { projectId, ownerId, linkId, sessionId: responseSessionId } = response;
  const value = { projectId, ownerId, linkId, responseSessionId };
  return outboxEntry(newEvent('link.recording', { $case: 'linkRecording', value }));
};

export const linkReminderDue = (
  { _id: linkId, projectId, ownerId }: Pick<Link, '_id' | 'projectId' | 'ownerId'>,
  number: number,
): OutboxEntry =>
  outboxEntry(
    newEvent('link.reminder_due', { $case: 'linkReminderDue', value: { projectId, ownerId, linkId, number } }),
  );

export const linkClosed = ({ _id: linkId, projectId, ownerId }: Pick<Link, '_id' | 'projectId' | 'ownerId'>) =>
  outboxEntry(newEvent('link.closed', { $case: 'linkClosed', value: { projectId, ownerId, linkId } }));

export const personErased = (about: PersonErased): OutboxEntry =>
  outboxEntry(newEvent('person.erased', { $case: 'personErased', value: about }));
