import { isDeepStrictEqual } from 'node:util';
import type { OwnerEventJson } from '@recording-request/contract/resources/owner-event';
import type { WebhookDeliveriesPageJson } from '@recording-request/contract/resources/webhook-delivery';
import type { Entry } from '../contributors/ledger.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from '../owner/owner.ts';

/** The number of events for each type and subject. */
export type Counts = Map<string, number>;

/** Returns the key that counts an event: its type, and the clip, response, link or project that it is about. */
export function countedAs({ type, projectId, submissionId, tokenId, data }: OwnerEventJson): string {
  if (type === 'link.recording') return `${type} ${data?.responseSessionId}`;
  if (type === 'response.completed')
    return `${type} ${(data as unknown as ResponseData).response.submissionIds.join()}`;
  return `${type} ${submissionId ?? tokenId ?? projectId}`;
}

interface ResponseData {
  response: { submissionIds: string[] };
}

/** Returns the events that the clips of a project must have caused. */
export async function eventsOfClips(harness: Harness, { projectId }: Project): Promise<Counts> {
  const counts: Counts = new Map();
  const sent = new Map(harness.ledger.entries.map(entry => [entry.take.sha256, entry.responseSessionId]));
  for (const { submissionId, mediaStatus, sha256 } of await harness.owner.submissions(projectId)) {
    counts.set(`submission.completed ${submissionId}`, 1);
    counts.set(`submission.media.${mediaStatus === 'ready' ? 'completed' : 'failed'} ${submissionId}`, 1);
    counts.set(`response.completed ${submissionId}`, 1);
    counts.set(`link.recording ${sent.get(sha256 ?? '')}`, 1);
  }
  return counts;
}

/**
 * Compares the events that an owner's readers saw with the expected events. `ledger` has the events of the webhook
 * ledger. A response that began but sent no clip may have an event.
 */
export function feedViolations(
  seen: OwnerEventJson[],
  again: OwnerEventJson[],
  known: { expected: Counts; ledger: Map<string, string>; projects: Project[]; entries: Entry[] },
): string[] {
  const violations: string[] = [];
  const say = (which: string[], what: string) =>
    which.length > 0 && violations.push(`${which.length} ${what}, such as ${which[0]}`);
  const ids = seen.map(({ eventId }) => eventId);
  say(repeatedOf(ids), 'events came twice to the reader');
  if (!isDeepStrictEqual(seen, again))
    violations.push(`a second reader sees ${again.length} events, not the ${seen.length} of the first in their order`);
  const own = new Set(known.projects.map(({ projectId }) => projectId));
  say(
    seen.filter(({ projectId }) => !own.has(projectId)).map(({ eventId }) => eventId),
    'events belong to another owner',
  );
  const there = new Set(ids);
  say(
    [...known.ledger.keys()].filter(id => !there.has(id)),
    'events of the ledger are missing in the feed',
  );
  say(
    ids.filter(id => !known.ledger.has(id)),
    'events of the feed are missing in the ledger',
  );
  return [...violations, ...countViolations(again, known)];
}

function countViolations(events: OwnerEventJson[], known: { expected: Counts; entries: Entry[] }): string[] {
  const found: Counts = new Map();
  for (const event of events) found.set(countedAs(event), (found.get(countedAs(event)) ?? 0) + 1);
  const begun = new Set(known.entries.map(({ responseSessionId }) => `link.recording ${responseSessionId}`));
  const wrong = [...new Set([...found.keys(), ...known.expected.keys()])].filter(name => {
    const count = found.get(name) ?? 0;
    const wanted = known.expected.get(name) ?? 0;
    return count !== wanted && !(wanted === 0 && count === 1 && begun.has(name));
  });
  return wrong.map(
    name => `${name} is ${found.get(name) ?? 0} times in the feed, not ${known.expected.get(name) ?? 0}`,
  );
}

/** Compares the data of events with the bodies that the receiver got. */
export function dataViolations(events: OwnerEventJson[], bodies: ReadonlyMap<string, string>): string[] {
  const other = events.filter(({ eventId, data }) => {
    const body = bodies.get(eventId);
    return body !== undefined && !isDeepStrictEqual(JSON.parse(body).data, data);
  });
  return other.map(({ eventId, type }) => `the data of ${type} ${eventId} in the feed is not that of its webhook`);
}

/** Returns the events in the webhook ledger of some projects: their types by id. */
export async function ledgerOf(harness: Harness, projects: Project[]): Promise<Map<string, string>> {
  const events = new Map<string, string>();
  for (const { projectId } of projects)
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/api/projects/${projectId}/webhook-deliveries?limit=100${cursor && `&cursor=${cursor}`}`;
      const page: WebhookDeliveriesPageJson = (await harness.owner.ask(path)).json();
      for (const { eventId, eventType } of page.deliveries) events.set(eventId, eventType);
      cursor = page.pagination.nextCursor;
    }
  return events;
}

const repeatedOf = (ids: string[]) => [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
