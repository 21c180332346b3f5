import type { FeedEvent, FeedEventType } from '@recording-request/client';
import { command } from '../command.ts';
import { EXIT, Failure, UsageFailure } from '../failures.ts';
import { projectIdOf } from '../resolve.ts';
import { CAUSES, cause, sandboxOf } from '../trigger/causes.ts';
import { pause } from '../wait.ts';

const LIMIT_MS = 120_000;
const NEVER: Record<string, string> = {
  'submission.transcript.failed': 'no clip makes a transcript fail reliably',
  'submission.media.failed': 'no clip makes media fail reliably',
  'webhook.failing': 'it needs an endpoint that fails for 15 minutes',
  'webhook.test': 'it is no event of the feed',
};

export const trigger = command({
  name: 'trigger',
  summary:
    'Causes a real event in a sandbox project: sends a bundled clip through a real link where the event needs one.',
  args: ['TYPE'],
  flags: {
    project: {
      type: 'text',
      value: 'PROJECT',
      help: 'uses this sandbox; otherwise the one that rr trigger made, or a new one',
    },
    'no-wait': { type: 'switch', help: 'does not wait for the event' },
  },
  notes: `TYPE is one of ${Object.keys(CAUSES).join(', ')}.
Run rr listen in another terminal to receive the event. A sandbox uses nothing of your allowance, and is erased after a day.`,
  async run({ args: [type], flags }, { out, signal, client }) {
    const never = NEVER[type!];
    if (never)
      throw new UsageFailure(`rr trigger cannot cause ${type}: ${never}. POST …/webhook-test sends an example.`);
    if (!Object.hasOwn(CAUSES, type!)) throw new UsageFailure(`TYPE must be one of ${Object.keys(CAUSES).join(', ')}.`);
    const wanted = type as FeedEventType;
    const service = await client();
    const given = flags.project && (await projectIdOf(service, flags.project, signal));
    const sandbox = await sandboxOf(service, given, wanted, signal);
    const { projectId } = sandbox;
    out.note(`The sandbox is ${projectId}.`);
    // Events that the project already has do not count: a cursor marks their end.
    let after = sandbox.isNew ? undefined : await endOf(wanted, projectId);
    const about = await cause(service, sandbox, wanted, signal);
    if (flags['no-wait']) return out.result({ projectId, about }, `Caused ${wanted}.`);
    const progress = out.progress();
    const until = performance.now() + LIMIT_MS;
    for (;;) {
      const page = await service.eventsPage(
        { projectId, types: wanted, after, wait: 5 },
        { signal, timeoutMs: 60_000 },
      );
      const event = page.events.find(each => isAbout(each, about));
      if (event) {
        progress.end();
        return out.result(event, [
          `${event.type}  ${event.eventId}`,
          ...JSON.stringify(event.data, null, 2).split('\n'),
        ]);
      }
      after = page.nextCursor;
      progress.show(`Waiting for ${wanted} …`);
      if (performance.now() > until)
        throw new Failure(
          EXIT.unreachable,
          `${wanted} did not come within ${LIMIT_MS / 1000} s. rr listen shows it when it comes.`,
        );
      await pause(100, signal);
    }

    async function endOf(types: string, projectId: string): Promise<string> {
      for (let cursor: string | undefined; ; ) {
        const page = await service.eventsPage({ projectId, types, after: cursor }, { signal });
        cursor = page.nextCursor;
        if (page.caughtUp) return cursor;
      }
    }
  },
});

/** Returns whether an event is about the clip or link that was used. */
function isAbout(
  { submissionId, tokenId, data }: FeedEvent,
  about: { submissionId?: string; tokenId?: string },
): boolean {
  if (about.submissionId === undefined) return about.tokenId === undefined || tokenId === about.tokenId;
  if (submissionId === about.submissionId) return true;
  return JSON.stringify(data).includes(about.submissionId);
}
