import type { OutboxEntry } from '@recording-request/events/outbox';
import { type Link, SHARED_POSITION } from '../domain/link.ts';
import type { Response } from '../domain/response.ts';
import { type LinkKey, linkAt, PLAIN_LINK } from './links.ts';
import type { Models } from './models.ts';
import { responseAt } from './responses.ts';
import type { ClientSession } from './transaction.ts';

/** A change of a link's invitation. null removes a field; undefined leaves it unchanged. */
export interface InvitationChange {
  disabled?: boolean | undefined;
  sealedInvitation?: string | null;
  personKey?: string | null;
  dueAt?: Date | null;
  dueSince?: Date | undefined;
  ownerStoppedReminders?: boolean | undefined;
}

export type InvitedLink = Pick<Link, '_id' | 'type' | 'projectId' | 'sealedInvitation' | 'dueAt'>;
export type ReferredResponse = Pick<Response, '_id' | 'sealedReference'>;

const INVITED = { type: 1, projectId: 1, sealedInvitation: 1, dueAt: 1 } as const;

/** Reads and writes the sealed data of people. Every `personKey` is a digest, see `SecretBox`. */
export function createPeople({ links, responses }: Pick<Models, 'links' | 'responses'>) {
  return {
    /** Returns the links of these people. */
    async linksOf(
      projectId: string,
      personKeys: string[],
      session?: ClientSession,
    ): Promise<{ linkId: string; personKey: string }[]> {
      const rows = await links
        .find({ projectId, personKey: { $in: personKeys } }, { personKey: 1 })
        .hint('people')
        .session(session ?? null)
        .lean<{ _id: string; personKey: string }[]>();
      return rows.map(({ _id: linkId, personKey }) => ({ linkId, personKey }));
    },

    /** Returns the session ids of a shared link's responses that stated this reference. */
    async sessionsOf(linkId: string, personKeys: string[], limit: number): Promise<string[]> {
      const rows = await responses
        .find({ linkId, personKey: { $in: personKeys } }, { sessionId: 1 })
        .hint('references')
        .limit(limit)
        .lean<Pick<Response, 'sessionId'>[]>();
      return rows.map(({ sessionId }) => sessionId);
    },

    /** Returns the invitations of some links of a project. */
    async invitationsOf(projectId: string, linkIds: string[]): Promise<InvitedLink[]> {
      return await links.find({ _id: { $in: linkIds }, projectId }, INVITED).lean<InvitedLink[]>();
    },

    /** Returns the sealed references of some responses of one link. */
    async referencesOf(linkId: string, responseIds: string[]): Promise<ReferredResponse[]> {
      return await responses
        .find({ _id: { $in: responseIds }, linkId }, { sealedReference: 1 })
        .lean<ReferredResponse[]>();
    },

    async hasReference(projectId: string, responseId: string): Promise<boolean> {
      return (
        (await responses.exists({ ...responseAt(responseId), projectId, sealedReference: { $exists: true } })) !== null
      );
    },

    /** Removes the reference of a response. Returns whether there was one. */
    async forgetReference(projectId: string, responseId: string): Promise<boolean> {
      const unset = { $unset: { sealedReference: '', personKey: '' } };
      const stated = { ...responseAt(responseId), projectId, sealedReference: { $exists: true } };
      return (await responses.updateOne(stated, unset)).matchedCount === 1;
    },

    /**
     * Removes the person and the metadata of a unique link. Returns whether there were any. Adds the event of this
     * change in any case, because earlier events may contain a person whom the owner has already removed.
     */
    async forget(key: LinkKey, event: OutboxEntry): Promise<boolean> {
      const before = await links
        .findOneAndUpdate(
          { ...linkAt(key), type: 'unique', erasedAt: null },
          {
            $unset: { sealedInvitation: '', personKey: '' },
            $currentDate: { changedAt: true },
            $push: { outbox: event },
          },
          { projection: { _id: 0, sealedInvitation: 1 } },
        )
        .lean<Pick<Link, 'sealedInvitation'>>();
      return before?.sealedInvitation !== undefined;
    },

    /** Returns the highest position of the project's links; 0 without a unique link. */
    async lastPosition(projectId: string, session?: ClientSession): Promise<number> {
      const last = await links
        .findOne({ projectId }, { _id: 0, position: 1 })
        .sort({ position: -1 })
        .session(session ?? null)
        .lean<Pick<Link, 'position'>>();
      return last?.position ?? SHARED_POSITION;
    },

    /** Returns a link, as this transaction sees it. */
    async find({ ownerId, ...key }: LinkKey & Pick<Link, 'ownerId'>, session: ClientSession): Promise<Link | null> {
      return await links
        .findOne({ ...linkAt(key), ownerId }, PLAIN_LINK)
        .session(session)
        .lean<Link>();
    },

    async update(key: LinkKey, change: InvitationChange, session: ClientSession): Promise<Link | null> {
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      const set = Object.fromEntries(given.filter(([, value]) => value !== null));
      const unset = Object.fromEntries(given.filter(([, value]) => value === null));
      return await links
        .findOneAndUpdate(
          linkAt(key),
          { $set: set, $unset: unset, $currentDate: { changedAt: true } },
          { returnDocument: 'after', projection: PLAIN_LINK, session },
        )
        .lean<Link>();
    },
  };
}
