import { randomUUID } from 'node:crypto';
import type { OwnerEventsPageJson } from '@recording-request/contract/resources/owner-event';
import type { ProjectCreatedJson } from '@recording-request/contract/resources/project';
import { uuidv7 } from '@recording-request/kit/ids';
import { createSecretBox } from '@recording-request/kit/secret-box';
import { connectMongo } from '@recording-request/kit-mongo/mongo';
import { waitFor } from '@recording-request/stack/wait';
import type { Invitation } from '../../../../services/projects/src/domain/invitation.ts';
import { makeCursor } from '../../../../services/projects/src/rpc/list-links.ts';
import type { LinkDocument, ProjectDocument } from '../../../../services/projects/src/store/documents.ts';
import { mintLink } from '../../../../services/projects/src/workflows/mint-links.ts';
import { openData, sealData } from '../../../../services/webhooks/src/adapters/feed-data.ts';
import { encodeFeedCursor } from '../../../../services/webhooks/src/domain/feed-cursor.ts';
import type { FeedDocument } from '../../../../services/webhooks/src/store/feed-models.ts';
import { ask, createProject, type Product } from './product.ts';

/** An owner with one project, whose links have people, and with a feed. */
export interface Lists {
  owner: Product;
  projectId: string;
  links: number;
  events: number;
  /** Selects link 1 and the last CHANGED links. */
  changedAfter: Date;
  /** The cursor of the page of links that follows the link at this position. */
  linksAfter(position: number): string;
  /** The cursor of the page of events that follows this many events. */
  eventsAfter(count: number): string;
}

/** Inserts many links and events into the product's databases, because making 100,000 events through the API would take hours. */
export interface ListSeed extends AsyncDisposable {
  /**
   * Makes a project with one link, and the first events, through the API. Then copies these records until there are
   * `links` links and `events` events. Seals, hashes and numbers the copies in the same way as the services.
   */
  fill(owner: Product, links: number, events: number): Promise<Lists>;
}

/** The number of links at the end of the list that changed last. */
export const CHANGED = 4;
const BATCH = 2_000;
const WAIT_MS = 60_000;

export const referenceOf = (position: number): string => `P-${String(position).padStart(6, '0')}`;

const personOf = (position: number) => ({
  name: `Person ${String(position).padStart(6, '0')}`,
  reference: referenceOf(position),
  email: `${referenceOf(position).toLowerCase()}@example.org`,
  locale: 'pt-BR',
});
const METADATA = { group: 'North' };

const invitationOf = (position: number): Invitation => ({
  person: { ...personOf(position), verified: true },
  metadata: METADATA,
  dueAt: null,
  timeFactor: null,
});

/** The positions of the first invited and the first sent link. A query that skipped links would read all links before them. */
export const firstInvited = (links: number): number => Math.floor(0.4 * links) + 1;
export const firstSent = (links: number): number => Math.floor(0.7 * links) + 1;

/** Returns the fields of a link by its position: first come the opened links, then the invited ones, then those that sent. */
function stateOf(position: number, links: number, at: Date) {
  if (position >= firstSent(links)) {
    const times = { openedAt: at, submittedAt: at, completedAt: at };
    return { opened: true, complete: true, landed: 1, submissionCount: 1, ...times };
  }
  return position >= firstInvited(links) ? {} : { opened: true, openedAt: at };
}

/** `secretsKey`: the SECRETS_KEY of the product's services. */
export async function openListSeed(
  { serversEnv, databasePrefix }: Pick<Product, 'serversEnv' | 'databasePrefix'>,
  secretsKey: string,
): Promise<ListSeed> {
  const secrets = createSecretBox(secretsKey);
  const settings = { mongoUrl: serversEnv.MONGO_URL!, mongoDatabasePrefix: databasePrefix };
  const mongo = await connectMongo(settings, 'projects', 'bench');
  const collection = <T extends object>(database: string, name: string) =>
    mongo.getClient().db(`${databasePrefix}${database}`).collection<T>(name);
  const projects = collection<ProjectDocument>('projects', 'projects');
  const links = collection<LinkDocument>('projects', 'links');
  const hashes = collection('projects', 'hashes');
  const feed = collection<FeedDocument>('webhooks', 'feed');

  /** Copies the project's only link. Returns the time after which only link 1 and the last links change. */
  async function addLinks(projectId: string, count: number): Promise<Date> {
    const project = present(await projects.findOne({ _id: projectId }));
    const first = present(await links.findOne({ projectId, position: 1 }));
    const { createdAt, changedAt } = first;
    const changed = new Date(Math.max(Date.now(), changedAt.getTime() + 1));
    for (let made = 1; made < count; made += BATCH) {
      const minted = Array.from({ length: Math.min(BATCH, count - made) }, (_, more) => {
        const position = made + more + 1;
        const { link, hash } = mintLink({ secrets }, project, {
          ...{ position, createdAt, invitation: invitationOf(position) },
        });
        const state = stateOf(position, count, createdAt);
        return { ...first, ...link, ...state, hash, changedAt: position > count - CHANGED ? changed : changedAt };
      });
      await links.insertMany(minted as never, { ordered: false });
      const entries = minted.map(({ _id: id, hash }) => ({ _id: hash, kind: 'link', id, projectId }));
      await hashes.insertMany(entries as never, { ordered: false });
    }
    return changedAt;
  }

  /**
   * Copies the last event of the owner. Returns the sequence number of the last event that the API made, and the number
   * of these events.
   */
  async function addEvents(ownerId: string, count: number): Promise<{ made: number; last: number }> {
    const rows = await feed.find({ ownerId }).sort({ ownerId: 1, seq: 1 }).toArray();
    const template = present(rows.find(({ type }) => type === 'link.recording'));
    const json = await openData(secrets, template.eventId, template.data!);
    const last = rows.at(-1)!.seq;
    const copyOf = async (seq: number) => {
      const eventId = uuidv7();
      const data = await sealData(secrets, eventId, json);
      return { ...template, _id: `${ownerId} ${seq - 1}`, seq, eventId, data };
    };
    const end = last + count - rows.length;
    for (let from = last; from < end; from += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, end - from) }, (_, more) => copyOf(from + more + 1));
      await feed.insertMany((await Promise.all(batch)) as never, { ordered: false });
    }
    return { made: rows.length, last };
  }

  return {
    async fill(owner, linkCount, eventCount) {
      const recipients = [{ ...personOf(1), metadata: METADATA }];
      const project = await createProject(owner, 'People', { recipients });
      const { projectId } = project;
      const changedAfter = await addLinks(projectId, linkCount);
      await beginResponse(owner, project);
      const { ownerId } = present(await projects.findOne({ _id: projectId }));
      const { made, last } = await addEvents(ownerId, eventCount);
      return {
        ...{ owner, projectId, links: linkCount, events: eventCount, changedAfter },
        linksAfter: makeCursor,
        eventsAfter: count => encodeFeedCursor(ownerId, last + count - made),
      };
    },
    [Symbol.asyncDispose]: () => mongo.close(),
  };
}

/** Begins a response of link 1, and waits until the feed has the event. */
async function beginResponse(owner: Product, { recipientUrls }: ProjectCreatedJson): Promise<void> {
  const { pathname } = new URL(recipientUrls[0]!.url);
  await ask(owner, `${pathname}/responses`, { responseSessionId: randomUUID() });
  const check = async () => {
    const { events } = await ask<OwnerEventsPageJson>(owner, '/api/events');
    const types = events.map(({ type }) => type);
    return (types.includes('project.created') && types.includes('link.recording')) || undefined;
  };
  await waitFor('the events of a project and of a response', check, { timeoutMs: WAIT_MS });
}

function present<T>(row: T | null | undefined): T {
  if (!row) throw new Error('there is no record to copy');
  return row;
}
