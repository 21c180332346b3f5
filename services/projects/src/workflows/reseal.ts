import { keyIdOf } from '@recording-request/kit/secret-box';
import type { Context } from '../context.ts';
import { identityOf } from '../domain/invitation.ts';
import { sealedFor } from '../domain/sealing.ts';
import type { Resealed as Change, SealedIn, SealedText } from '../store/sealed.ts';
import { parseSealed, personKeyOf } from './invitations.ts';

/** The result of one batch. */
export interface Resealed {
  lookedAt: number;
  resealed: number;
  /** The number of texts that this call skipped, because another request changed them after the read. */
  changedMeanwhile: number;
  unopened: { record: string; keyId: string; knownKey: boolean }[];
  /** The start of the next batch; undefined after the last record of the collection. */
  last: string | undefined;
}

// The texts of a batch take about 300 KB, and AES takes a few milliseconds for them.
const BATCH = 500;

/**
 * Reseals the records after `after` with the first key of the ring. Other requests can run at the same time: this does
 * not overwrite a text that another request has changed.
 */
export async function resealBatch(
  { store, secrets }: Pick<Context, 'store' | 'secrets'>,
  collection: SealedIn,
  { after, dryRun }: { after: string; dryRun: boolean },
): Promise<Resealed> {
  const { texts, last } = await store.sealed.page(collection, after, BATCH);
  const changes: Change[] = [];
  const unopened: Resealed['unopened'] = [];
  for (const text of texts) {
    const keyId = keyIdOf(text.sealed);
    if (keyId === secrets.keyIds[0]) continue;
    const context = contextOf(text);
    try {
      const opened = secrets.open(text.sealed, context);
      const personKey = personKeyOf(secrets, text.projectId ?? '', personIn(text, opened));
      changes.push({ text, sealed: secrets.seal(opened, context), personKey });
    } catch {
      unopened.push({ record: nameOf(text), keyId, knownKey: secrets.keyIds.includes(keyId) });
    }
  }
  const resealed = dryRun ? changes.length : await store.sealed.replace(collection, changes);
  return { lookedAt: texts.length, resealed, changedMeanwhile: changes.length - resealed, unopened, last };
}

/** Returns the identity of the person in a text; undefined without one. */
function personIn({ path }: SealedText, opened: Buffer): string | undefined {
  if (path === 'sealedReference') return identityOf({ reference: opened.toString(), email: '' });
  const { person } = path === 'sealedInvitation' ? parseSealed(opened) : { person: null };
  return person ? identityOf(person) : undefined;
}

/** Returns the record to which a sealed text is bound. */
export function contextOf(text: SealedText): string {
  switch (text.path) {
    case 'answer':
      return sealedFor.answer(text.userId, text.key);
    case 'sealedToken':
      return sealedFor.link(text.id);
    case 'sealedInvitation':
      return sealedFor.invitation(text.id);
    case 'sealedReference':
      return sealedFor.reference(text.id);
    default:
      return sealedFor.webhook(text.id);
  }
}

/** Returns the name of a sealed text's record, for the operator. */
export function nameOf(text: SealedText): string {
  switch (text.path) {
    case 'webhook.secret':
      return `the webhook secret of project ${text.id}`;
    case 'webhook.former.secret':
      return `the former webhook secret of project ${text.id}`;
    case 'sealedToken':
      return `the token of link ${text.id}`;
    case 'sealedInvitation':
      return `the invitation of link ${text.id}`;
    case 'sealedReference':
      return `the reference of response ${text.id}`;
    case 'answer':
      return `the remembered answer ${text.id} of user ${text.userId}`;
  }
}
