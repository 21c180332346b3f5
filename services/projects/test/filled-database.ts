import { createHash } from 'node:crypto';
import { uuidv7 } from '@recording-request/kit/ids';
import { projectSettings } from '@recording-request/testing/project-settings';
import type { OpenStore } from '../src/store/store.ts';

export const LINKS = 600;
const PROJECTS = 60;
export const DAY_MS = 86_400_000;

export const OWNER = uuidv7();
export const hashOf = (text: string) => createHash('sha256').update(text).digest();
export const ids = Array.from({ length: PROJECTS }, uuidv7);
export const PROJECT = ids[0]!;
export const linkId = (project: number, position: number) => `link ${project} ${String(position).padStart(5, '0')}`;
export const at = (index: number) => new Date(Date.now() - DAY_MS + index);

export function project(index: number) {
  const settings = {
    ...projectSettings({ projectName: `Stories ${index}`, sharedLinkEnabled: true }),
    sharedLinkMaxUses: 1_000,
  };
  return {
    _id: ids[index]!,
    ownerId: index % 2 === 0 ? OWNER : `${OWNER} too`,
    createdAt: at(index),
    expiresAt: null,
    settings,
    webhook: { secret: '', former: null, targetVersion: 1 },
    dashboardHash: hashOf(`dashboard ${index}`),
    usesChange: null,
  };
}

/** Makes a link. One link in three is used up, one in three is disabled. */
export function link(of: number, position: number) {
  const isShared = position === 0;
  return {
    _id: linkId(of, position),
    projectId: ids[of]!,
    ownerId: project(of).ownerId,
    type: isShared ? 'shared' : 'unique',
    position,
    hash: hashOf(linkId(of, position)),
    sealedToken: 'sealed',
    maxUses: isShared ? 1_000 : 1,
    claimed: 0,
    landed: !isShared && position % 30 === 1 ? 1 : 0,
    submissionCount: 0,
    disabled: !isShared && position % 30 === 2,
    opened: false,
    complete: false,
    ...(isShared ? {} : { personKey: `k1.${position}`, sealedInvitation: 'k1.sealed' }),
    openedAt: null,
    submittedAt: null,
    completedAt: null,
    createdAt: at(position),
    applied: [],
    usesVersion: 0,
  };
}

export function response(of: number, index: number, fields: object = {}) {
  const id = linkId(of, index % 2 === 0 ? 0 : index);
  return {
    _id: `${id}:${index}`,
    sessionId: String(index),
    linkId: id,
    projectId: ids[of]!,
    ownerId: project(of).ownerId,
    ...(index % 2 === 0 ? { personKey: `k1.${index % 100}`, sealedReference: 'k1.sealed' } : { solo: true }),
    settings: projectSettings(),
    terms: null,
    use: 'landed',
    hasBytes: true,
    heldUntil: at(index),
    answers: [],
    complete: false,
    createdAt: at(index),
    ...fields,
  };
}

/** Fills the collections: more than a query may read. */
export async function fill(open: OpenStore): Promise<void> {
  const { users, tokens, projects, links, responses, idempotency, erasures } = open.models;
  const many = <T>(length: number, of: (index: number) => T) =>
    Array.from({ length }, (_, index) => of(index)) as never;
  const user = { videoLimit: null, videosReserved: 5_000, createdAt: at(0) };
  await Promise.all([
    users.collection.insertMany(many(100, index => ({ _id: `user ${index}`, name: 'x', ...user }))),
    users.collection.insertOne({ _id: OWNER, name: 'Owner', ...user } as never),
    tokens.collection.insertMany(
      many(100, index => ({
        _id: `token ${index}`,
        userId: index < 4 ? OWNER : `user ${index}`,
        hash: hashOf(`token ${index}`),
        former: { hash: hashOf(`former ${index}`), until: at(0) },
        ...{ label: '', scopes: [], createdAt: at(0), expiresAt: null, revokedAt: null },
      })),
    ),
    projects.collection.insertMany(many(PROJECTS, project)),
    ...[0, 1, 2].map(of => links.collection.insertMany(many(LINKS, position => link(of, position)))),
    responses.collection.insertMany(many(1_000, index => response(0, index))),
    responses.collection.insertMany(
      many(5, index => response(1, index, { use: 'held', hasBytes: false, complete: false })),
    ),
    idempotency.collection.insertMany(
      many(500, index => ({
        ...{ _id: `key ${index}`, userId: OWNER, key: `key ${index}`, bodyHash: 'x', state: 'done', attempt: 'x' },
        ...{ leaseUntil: at(0), answer: 'x', projectId: ids[index % 100 === 0 ? 0 : 1], expireAt: at(2 * DAY_MS) },
      })),
    ),
    erasures.collection.insertMany(
      many(100, index => ({
        ...{ _id: `erased ${index}`, kind: 'project', ownerId: OWNER, at: at(0) },
        againAt: index < 2 ? at(0) : null,
      })),
    ),
  ]);
}
