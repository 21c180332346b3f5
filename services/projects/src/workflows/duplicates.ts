import { type Invitation, identityOf } from '../domain/invitation.ts';

/** Returns the identity of each invitation's person. */
export const identitiesOf = (invitations: Invitation[]): (string | undefined)[] =>
  invitations.map(({ person }) => (person ? identityOf(person) : undefined));

/** Returns the entries whose person is also in an earlier entry. `of` is the first entry with the person. */
export function duplicatesWithin(identities: (string | undefined)[]): { index: number; of: number }[] {
  const first = new Map<string, number>();
  return identities.flatMap((identity, index) => {
    if (identity === undefined) return [];
    const of = first.get(identity);
    if (of !== undefined) return [{ index, of }];
    first.set(identity, index);
    return [];
  });
}
