import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import type { CallContext } from '@recording-request/kit-rpc/grpc-server';
import type { Context } from '../context.ts';
import { checkedInvitation, type Invitation, isEmpty } from '../domain/invitation.ts';
import { noSuchProject, type Project } from '../domain/project.ts';
import { checkSandbox, reservedFor } from '../domain/sandbox.ts';
import { sealedFor } from '../domain/sealing.ts';
import { noSuchUser, remainingVideos, type User } from '../domain/user.ts';
import type { ClientSession } from '../store/transaction.ts';
import { type AnswerFormat, answerOnce, type RepeatKey, type Run } from './answer-once.ts';
import { duplicatesWithin, identitiesOf } from './duplicates.ts';
import { insertUnique, type MintedLink } from './mint-links.ts';
import { usesOf } from './uses-of.ts';

export interface Duplicate {
  /** The position of the entry in the request, from 0. */
  index: number;
  /** The link that has the same person; '' if only an earlier entry of the request has this person. */
  linkId: string;
}

export interface AddedLinks {
  project: Project;
  created: number;
  first: MintedLink[];
  duplicates: Duplicate[];
  /**
   * The videos that remain of the allowance; null without a limit. A dry run returns the number that the creation would
   * leave: negative if the allowance is too small.
   */
  remaining: number | null;
}

export interface Addition<T> {
  ownerId: string;
  projectId: string;
  invitations: Invitation[];
  /** True to create the other links if there are duplicates. */
  skipsDuplicates: boolean;
  dryRun: boolean;
  repeat: RepeatKey | undefined;
  format: AnswerFormat<AddedLinks, T>;
}

const COMPARED_AT_ONCE = 1_000;

/**
 * Adds links to a project: reserves the allowance and stores the links and the result for repeated requests, in one
 * transaction. Creates nothing in a dry run, or if there are duplicates that it may not skip.
 */
export async function addLinks<T>(context: Context, given: Addition<T>, call: CallContext): Promise<T> {
  const count = given.invitations.length;
  if (count < 1 || count > LIMITS.count)
    throw new DomainError('invalid', `links must have 1 to ${LIMITS.count} entries.`);
  const invitations = given.invitations.map((each, index) => checkedInvitation(each, `links, entry ${index + 1}: `));
  const addition = { ...given, invitations };
  if (given.dryRun) return given.format.make(await tryOut(context, addition));
  return await answerOnce(context, { ...given, lost: lostAnswer }, call, run => add(context, addition, run));
}

async function add<T>(context: Context, addition: Addition<T>, run: Run<T>) {
  const { store, clock } = context;
  const { ownerId, projectId, invitations, skipsDuplicates, format } = addition;
  const { session, signal } = run;
  const invites = invitations.some(invitation => !isEmpty(invitation));
  const work = async () => {
    const project = await store.projects.lockPeople(ownerId, projectId, { invites }, session);
    if (!project) throw noSuchProject();
    const duplicates = await findDuplicates(context, addition, session);
    const wanted = without(invitations, duplicates);
    const refused = duplicates.length > 0 && !skipsDuplicates;
    if (refused || wanted.length === 0) {
      const user = await ownerOf(context, ownerId);
      return {
        answer: format.make({ ...NONE, project, duplicates, remaining: remainingVideos(user) }),
        remembered: false,
      };
    }
    const after = await positionBefore(context, projectId, wanted.length, session);
    await checkRoom(context, project, wanted.length);
    const user = await store.users.reserve(ownerId, reservedFor(project, wanted.length), session);
    const order = { project, count: wanted.length, invitations: wanted, after, now: () => clock.now() };
    const first = await insertUnique(context, order, session);
    const made = { project, created: wanted.length, first, duplicates, remaining: remainingVideos(user) };
    const answer = format.make(made);
    await run.remember(answer, projectId);
    return { answer, remembered: true };
  };
  return await store.transact(session, work, { signal });
}

const NONE = { created: 0, first: [] };

/** Makes the same checks without writing. */
async function tryOut<T>(context: Context, addition: Addition<T>): Promise<AddedLinks> {
  const { ownerId, projectId, invitations } = addition;
  const project = await context.store.projects.find(ownerId, projectId);
  if (!project) throw noSuchProject();
  const duplicates = await findDuplicates(context, addition);
  const wanted = invitations.length - duplicates.length;
  await positionBefore(context, projectId, wanted);
  const user = await ownerOf(context, ownerId);
  await checkRoom(context, project, wanted);
  const reserved = reservedFor(project, wanted);
  return { ...NONE, project, duplicates, remaining: remainingAfter(user, reserved) };
}

/** Returns the allowance after a reservation, whether or not it has room. */
function remainingAfter(user: User, reserved: number): number | null {
  const { videoLimit, videosReserved } = user;
  return reserved === 0 || videoLimit === null ? remainingVideos(user) : videoLimit - videosReserved - reserved;
}

/** Fails with `invalid` if a sandbox would have too many clips. */
async function checkRoom({ store }: Pick<Context, 'store'>, project: Project, links: number): Promise<void> {
  if (project.settings.sandbox) checkSandbox(project.settings, links + (await usesOf(store, project)));
}

async function ownerOf({ store }: Pick<Context, 'store'>, ownerId: string): Promise<User> {
  const user = await store.users.find(ownerId);
  if (!user) throw noSuchUser();
  return user;
}

const without = (invitations: Invitation[], duplicates: Duplicate[]): Invitation[] => {
  const skipped = new Set(duplicates.map(({ index }) => index));
  return invitations.filter((_, index) => !skipped.has(index));
};

/** Returns the position before the first new link. Fails with `invalid` if the project would have too many links. */
async function positionBefore(
  { store }: Pick<Context, 'store'>,
  projectId: string,
  count: number,
  session?: ClientSession,
): Promise<number> {
  const last = await store.people.lastPosition(projectId, session);
  if (last + count <= LIMITS.projectLinks) return last;
  throw new DomainError(
    'invalid',
    `links: a project has at most ${LIMITS.projectLinks} unique links, and this one has ${last} already.`,
  );
}

/** Returns, in order, the entries whose person is also in an earlier entry or in a link of the project. */
async function findDuplicates(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  { projectId, invitations }: Pick<Addition<unknown>, 'projectId' | 'invitations'>,
  session?: ClientSession,
): Promise<Duplicate[]> {
  const identities = identitiesOf(invitations);
  const repeated = duplicatesWithin(identities);
  const found = new Map(repeated.map(({ index }) => [index, '']));
  const entries = new Map<string, number>();
  for (const [index, identity] of identities.entries()) {
    if (identity === undefined || found.has(index)) continue;
    for (const key of secrets.digests(identity, sealedFor.person(projectId))) entries.set(key, index);
  }
  const keys = [...entries.keys()];
  for (let from = 0; from < keys.length; from += COMPARED_AT_ONCE) {
    const links = await store.people.linksOf(projectId, keys.slice(from, from + COMPARED_AT_ONCE), session);
    for (const { personKey, linkId } of links) found.set(entries.get(personKey)!, linkId);
  }
  // If two entries have the same person as a link, the result names this link for both entries.
  for (const { index, of } of repeated) found.set(index, found.get(of) ?? '');
  return [...found].map(([index, linkId]) => ({ index, linkId })).sort((a, b) => a.index - b.index);
}

// Does not use `conflict`: clients retry conflicts, but this result is permanently lost.
const lostAnswer = (projectId: string) =>
  new DomainError(
    'unprocessable',
    `This Idempotency-Key added links to the project ${projectId}, and the first answer cannot be shown any more: list its links, or use a new key for others.`,
  );
