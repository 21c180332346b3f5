import { shown } from './untrusted.ts';

interface Person {
  name?: string | null;
  reference?: string | null;
  email?: string | null;
  verified?: boolean;
}

/** Returns the person of a link or a clip, for `untrusted`. */
export const personOf = (person: Person | null | undefined) => ({
  name: shown(person?.name, 200),
  reference: shown(person?.reference, 200),
});

export const emailOf = (person: Person | null | undefined): string | null => shown(person?.email, 320);
