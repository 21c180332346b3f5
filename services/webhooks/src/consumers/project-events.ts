import { presentEventLink, withStopUrl } from '@recording-request/contract/present/recipient';
import type { EventLinkJson } from '@recording-request/contract/resources/recipient';
import type { WebhookSubject } from '@recording-request/contract/webhook';
import type { Consumer } from '@recording-request/kit-kafka/consumer';
import type { Event } from '@recording-request/proto/events/v1/events';
import type { Context } from '../context.ts';
import { eraseEvents } from '../workflows/erase-events.ts';
import { type Fact, recordEvent } from '../workflows/record-event.ts';

const JOB_LIMIT_MS = 20_000;

/** Consumes the events about projects and links. Webhooks send them only for projects that subscribe to them. */
export function consumeProjectEvents(context: Context): Promise<Consumer> {
  return context.kafka.consume({
    topic: 'projects.events',
    group: 'webhooks-projects',
    concurrency: context.config.consumers,
    jobLimitMs: JOB_LIMIT_MS,
    async handle(event, { signal }) {
      if (event.payload?.$case === 'personErased') {
        const { projectId, linkId: origin } = event.payload.value;
        await eraseEvents(context, { projectId, origin });
        return;
      }
      const fact = projectFactOf(context, event, signal);
      if (fact) await recordEvent(context, event, fact);
    },
  });
}

/** Returns the facts of an event about a project or a link; undefined for an event that this version does not know. */
export function projectFactOf(context: Context, { type, payload }: Event, signal: AbortSignal): Fact | undefined {
  const ofLink = linkFacts(context, signal);
  switch (payload?.$case) {
    case 'projectChanged':
      return ofProject(type, payload.value.projectId, payload.value.changed);
    case 'linkRecording': {
      const { responseSessionId } = payload.value;
      // Leaves out the reference of a response on a shared link: the reference is erased with its clip, but this event
      // stays.
      return ofLink(payload.value, 'link.recording', link => ({ type: 'link.recording', link, responseSessionId }));
    }
    case 'linkReminderDue': {
      const { number } = payload.value;
      return ofLink(payload.value, 'link.reminder_due', link => ({
        ...{ type: 'link.reminder_due', number },
        ...withStopUrl(link),
      }));
    }
    case 'linkClosed':
      return ofLink(payload.value, 'link.closed', link => ({
        type: 'link.closed',
        link,
      }));
    default:
      return undefined;
  }
}

function ofProject(type: string, projectId: string, changed: string[]): Fact | undefined {
  if (type === 'project.created') return { type, projectId, submissionId: '', subject: () => ({ type }) };
  if (type === 'project.updated') return { type, projectId, submissionId: '', subject: () => ({ type, changed }) };
  return undefined;
}

interface LinkOfEvent {
  projectId: string;
  linkId: string;
}

const linkFacts =
  ({ config, eventLinks }: Context, signal: AbortSignal) =>
  (about: LinkOfEvent, type: Fact['type'], subject: (link: EventLinkJson) => WebhookSubject): Fact => {
    const { projectId, linkId } = about;
    return {
      ...{ type, projectId, submissionId: '', tokenId: linkId, origin: linkId },
      async subject() {
        const found = await eventLinks.of({ projectId, linkId, responseSessionId: '' }, signal);
        if (!found) return undefined;
        return subject(
          presentEventLink({ ...found, tokenId: linkId, invitation: found.invitation }, config.publicBaseUrl),
        );
      },
    };
  };
