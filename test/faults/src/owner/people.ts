import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { stopRemindersUrl } from '@recording-request/contract/addresses';
import type { RecipientLinkJson } from '@recording-request/contract/resources/link';
import type { Random } from '@recording-request/stack/random';
import { byHand } from '../contributors/by-hand.ts';
import type { Answer } from '../harness/gateway-client.ts';
import type { Harness } from '../harness/harness.ts';
import type { Project } from './owner.ts';

/** A person whom an owner has invited. */
export interface Person {
  project: Project;
  reference: string;
  tokenId: string;
  url: string;
  /** When the reminder is due. */
  dueFrom: number;
  /** True if the project's endpoint receives the reminders. */
  hasEndpoint: boolean;
  action: PersonAction | undefined;
  /**
   * The number of reminders that the owner saw after an action had ended them. It must not grow after that. Undefined
   * if no action ended them.
   */
  last: number | undefined;
  /** The number of reminders that the owner requested and the service accepted. */
  asked: number;
}

/** An action for a person. A clip, a stop and a disabled link end the reminders; the other actions do not. */
export type PersonAction = 'send' | 'stop' | 'disable' | 'begin' | 'ask' | 'move';

const HOUR_MS = 3_600_000;

/** Creates a project with one link for each of `count` people. `dueFrom` returns the time of each person's reminder. */
export async function invite(
  harness: Harness,
  apiToken: string,
  { count, dueFrom, hasEndpoint }: { count: number; dueFrom: (at: number) => number; hasEndpoint: boolean },
): Promise<Person[]> {
  const recipients = Array.from({ length: count }, (_, at) => ({
    reference: `P-${at}`,
    dueAt: new Date(dueFrom(at) + HOUR_MS).toISOString(),
  }));
  const project = await harness.owner.createFor(apiToken, {
    ...{ count, recipients, sharedLinkEnabled: false, remind: { beforeDueHours: [1] } },
    webhookEvents: hasEndpoint ? ['link.reminder_due'] : [],
  });
  const { recipientUrls } = await harness.owner.links(project.projectId);
  return recipientUrls.map(({ recipient, tokenId, recipientUrl }) => ({
    ...{ project, reference: recipient!.reference!, tokenId, url: recipientUrl, hasEndpoint },
    dueFrom: dueFrom(Number(recipient!.reference!.slice(2))),
    ...{ action: undefined, last: undefined, asked: 0 },
  }));
}

interface Acting {
  random?: Random;
  signal: AbortSignal;
}

/** Performs an action. If it ends the reminders, reads their number afterwards. */
export async function performAction(
  harness: Harness,
  person: Person,
  action: PersonAction,
  { random, signal }: Acting,
): Promise<void> {
  const { project, tokenId, url } = person;
  const { owner } = harness;
  const { projectId } = project;
  const take = () => harness.take(random!);
  person.action = action;
  switch (action) {
    case 'send': {
      const { outcome } = await harness.contribute({ project, url }, take(), random!);
      // A closed project refuses the clip; `close` reads the number of reminders in that case.
      if (outcome !== 'failed') await ends(harness, person, ({ submissionCount }) => submissionCount > 0, signal);
      return;
    }
    case 'stop':
      await stop(harness, url, signal);
      return await ends(harness, person, ({ remindersStopped }) => remindersStopped, signal);
    case 'disable':
      await owner.changeLink(projectId, tokenId, { disabled: true });
      return await ends(harness, person, ({ status }) => status === 'disabled', signal);
    case 'begin':
      return void (await byHand(harness, { project, url }, take())
        .begin()
        .catch(() => {}));
    case 'ask':
      return await askNow(harness, person, signal);
    case 'move':
      return await owner.changeLink(projectId, tokenId, {
        dueAt: new Date(Date.now() + HOUR_MS + MOVED_MS).toISOString(),
      });
  }
}

const MOVED_MS = 40_000;
const LOOK_MS = 300;

/**
 * Waits until the owner's list shows the end of the reminders. The end and the number are in one document, so they are
 * consistent.
 */
async function ends(
  { owner }: Harness,
  person: Person,
  isOver: (link: RecipientLinkJson) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const link = await owner.linkOf(person.project.projectId, person.reference);
    if (isOver(link)) {
      person.last ??= link.remindersSent;
      return;
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Presses the button of the page that stops reminders, until this succeeds. */
async function stop(harness: Harness, url: string, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const ask = { method: 'POST', headers, body: Buffer.from('stop=reminders') };
  const path = new URL(stopRemindersUrl(url)).pathname;
  const answer = await untilAnswered(() => harness.gateway.ask(path, ask), signal);
  if (answer.status >= 400) throw new Error(`${answer.what}: ${answer.bytes}`);
}

/** Requests a reminder now. The service refuses it if the link had a reminder within the last hour, or may get none. */
async function askNow({ owner }: Harness, person: Person, signal: AbortSignal): Promise<void> {
  const path = `/api/projects/${person.project.projectId}/links/${person.tokenId}/remind`;
  const ask = { method: 'POST', headers: { 'idempotency-key': randomUUID() } };
  const answer = await untilAnswered(() => owner.ask(path, ask), signal);
  if (answer.status < 300) person.asked += 1;
}

/** Repeats a request until the service accepts or refuses it. */
async function untilAnswered(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    // 409 means that the first request with the same Idempotency-Key still runs.
    if (answer && answer.status < 500 && answer.status !== 409) return answer;
    await delay(LOOK_MS, undefined, { signal });
  }
}
