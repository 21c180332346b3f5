import type { Context } from '../context.ts';
import { type Invitation, identityOf, NOTHING_STATED } from '../domain/invitation.ts';
import type { Link } from '../domain/link.ts';
import type { Response } from '../domain/response.ts';
import { sealedFor } from '../domain/sealing.ts';
import { openUnlessLost } from './open-unless-lost.ts';

type Secrets = Pick<Context, 'secrets'>;
type Stated = Pick<Link, '_id' | 'sealedInvitation' | 'dueAt'>;
/** The contents of a `sealedInvitation`. */
type Sealed = Omit<Invitation, 'dueAt'>;

/** Returns the fields that store a link's invitation. Omits empty fields. */
export function sealInvitation(
  { secrets }: Secrets,
  { _id, projectId }: Pick<Link, '_id' | 'projectId'>,
  { person, metadata, dueAt, timeFactor }: Invitation,
): Pick<Link, 'sealedInvitation' | 'personKey' | 'dueAt'> {
  const stated: Sealed = { person, metadata, timeFactor };
  const isStated = person !== null || Object.keys(metadata).length > 0 || timeFactor !== null;
  const personKey = person ? personKeyOf(secrets, projectId, identityOf(person)) : undefined;
  return {
    ...(isStated && { sealedInvitation: secrets.seal(JSON.stringify(stated), sealedFor.invitation(_id)) }),
    ...(personKey !== undefined && { personKey }),
    ...(dueAt && { dueAt }),
  };
}

/** Returns the invitation of a link. If its key is lost, the invitation has only the deadline. */
export function openInvitation(context: Pick<Context, 'config' | 'secrets'>, link: Stated): Invitation {
  const { _id, sealedInvitation, dueAt = null } = link;
  const opened = sealedInvitation && openUnlessLost(context, sealedInvitation, sealedFor.invitation(_id));
  return { ...(opened ? parseSealed(opened) : NOTHING_STATED), dueAt };
}

export const parseSealed = (opened: Buffer): Sealed => ({
  // Older records have no factor.
  timeFactor: null,
  ...(JSON.parse(opened.toString()) as Omit<Sealed, 'timeFactor'>),
});

/** Returns the fields that store the reference of a response on a shared link. */
export function sealReference(
  { secrets }: Secrets,
  { _id, projectId }: Pick<Response, '_id' | 'projectId'>,
  reference: string,
): Required<Pick<Response, 'sealedReference' | 'personKey'>> {
  const [personKey] = referenceKeys({ secrets }, projectId, reference);
  return { sealedReference: secrets.seal(reference.trim(), sealedFor.reference(_id)), personKey: personKey! };
}

/** Returns the reference of a response; '' without one, or if its key is lost. */
export function openReference(
  context: Pick<Context, 'config' | 'secrets'>,
  { _id, sealedReference }: Pick<Response, '_id' | 'sealedReference'>,
): string {
  const opened = sealedReference && openUnlessLost(context, sealedReference, sealedFor.reference(_id));
  return opened ? opened.toString() : '';
}

/** Returns a digest of a reference with each key, in the order of the keys. */
export const referenceKeys = ({ secrets }: Secrets, projectId: string, reference: string): string[] =>
  secrets.digests(identityOf({ reference: reference.trim(), email: '' }) ?? '', sealedFor.person(projectId));

/** Returns the digest of a person, made with the first key. */
export function personKeyOf(
  secrets: Secrets['secrets'],
  projectId: string,
  identity: string | undefined,
): string | undefined {
  return identity === undefined ? undefined : secrets.digest(identity, sealedFor.person(projectId));
}
