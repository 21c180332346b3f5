import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import type { OwnerEventJson } from '@recording-request/contract/resources/owner-event';
import type { Harness } from '../harness/harness.ts';
import type { FeedReader } from '../owner/feed-reader.ts';
import type { Person } from '../owner/people.ts';
import type { Receiver } from '../owner/receiver.ts';

export const REMINDER_EVENT = 'link.reminder_due';

/** The maximum clock difference between two processes. */
export const CLOCK_OFFSET_MS = 10_000;

export interface Reminder {
  eventId: string;
  createdAt: Date;
  tokenId: string;
  number: number;
}

interface ReminderData {
  link: { tokenId: string; recipient: { reference: string } | null; recipientUrl: string };
  number: number;
  stopUrl: string;
}

export const reminderOf = ({ eventId, createdAt, tokenId, data }: OwnerEventJson): Reminder => ({
  ...{ eventId, createdAt: new Date(createdAt), tokenId: tokenId! },
  number: (data as unknown as ReminderData).number,
});

/** Checks that each event shows the right person. */
export function contentViolations(events: OwnerEventJson[], people: Map<string, Person>): string[] {
  return events.flatMap(event => {
    const { link, stopUrl } = event.data as unknown as ReminderData;
    const person = people.get(event.tokenId ?? '');
    const isRight =
      person?.tokenId === link.tokenId &&
      person.reference === link.recipient?.reference &&
      person.project.projectId === event.projectId &&
      stopUrl.startsWith(person.url);
    return isRight ? [] : [`the reminder ${event.eventId} shows another link, person or address`];
  });
}

/** Compares a person's reminders with the number that the owner sees, and with the permitted number. */
export function personViolations(
  person: Person,
  link: Pick<RecipientLinkJson, 'remindersSent'>,
  reminders: Reminder[],
): string[] {
  const { tokenId, last, action, asked, dueFrom } = person;
  const violations: string[] = [];
  const numbers = reminders.map(({ number }) => number).sort((a, b) => a - b);
  const say = (what: string) => violations.push(`link ${tokenId} (${action ?? 'nothing happened'}) ${what}`);
  const sent = link.remindersSent;
  if (numbers.some((number, at) => number !== at + 1) || numbers.length !== sent)
    say(`has the reminders ${numbers.join(', ') || 'none'}, and the owner sees ${sent}`);
  const firstMs = Math.min(...reminders.map(({ createdAt }) => createdAt.getTime()));
  const aheadMs = dueFrom - CLOCK_OFFSET_MS - firstMs;
  if (aheadMs > 0 && asked === 0) say(`was reminded ${aheadMs} ms before it was due, by any clock`);
  if (last !== undefined && sent > last) say(`had ${last} reminders when they ended, and has ${sent}`);
  if (last === undefined && sent !== 1 + asked)
    say(`has ${sent} reminders, not one at its time and ${asked} for which the owner asked`);
  return violations;
}

/** Checks that the endpoints got the same reminders as the feed, for the projects with an endpoint. */
export function webhookViolations(events: OwnerEventJson[], receiver: Receiver, people: Person[]): string[] {
  const got = [...receiver.events.values()].filter(({ type }) => type === REMINDER_EVENT);
  const hooked = new Set(people.filter(({ hasEndpoint }) => hasEndpoint).map(({ project }) => project.projectId));
  const wanted = new Set(events.filter(({ projectId }) => hooked.has(projectId)).map(({ eventId }) => eventId));
  const missing = [...wanted].filter(id => !receiver.events.has(id));
  const extra = got.filter(({ id, projectId }) => hooked.has(projectId) && !wanted.has(id));
  return [
    ...missing.map(id => `the endpoint did not get the reminder ${id} of the feed`),
    ...extra.map(({ id }) => `the endpoint got the reminder ${id}, which the feed does not have`),
  ];
}

/** Returns the reminders that the readers saw, by link. */
export function remindersIn(readers: FeedReader[]): Map<string, Reminder[]> {
  const events = readers.flatMap(({ seen }) => seen.filter(({ type }) => type === REMINDER_EVENT));
  return Map.groupBy(events.map(reminderOf), ({ tokenId }) => tokenId);
}

/** Compares the reminders of all people with the permitted reminders. */
export async function reminderViolations(
  { owner, receiver }: Harness,
  people: Person[],
  readers: FeedReader[],
): Promise<string[]> {
  const violations: string[] = [];
  const found = remindersIn(readers);
  for (const [{ projectId }, group] of Map.groupBy(people, ({ project }) => project)) {
    const links = new Map((await owner.links(projectId)).recipientUrls.map(link => [link.tokenId, link]));
    for (const person of group)
      violations.push(...personViolations(person, links.get(person.tokenId)!, found.get(person.tokenId) ?? []));
  }
  const events = readers.flatMap(({ seen }) => seen.filter(({ type }) => type === REMINDER_EVENT));
  violations.push(...contentViolations(events, new Map(people.map(person => [person.tokenId, person]))));
  violations.push(...webhookViolations(events, receiver, people));
  return violations;
}
