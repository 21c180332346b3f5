import { canonicalLanguageTag } from '@recording-request/contract/language-tag';
import { LIMITS } from '@recording-request/contract/limits';
import { DomainError } from '@recording-request/kit/errors';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';

/** The person for whom a link is meant; '' in a field that is not set. */
export interface Person {
  name: string;
  /** The owner's own key for the person. */
  reference: string;
  email: string;
  /** A BCP 47 tag. */
  locale: string;
  /** False if the reference comes from the address that the contributor opened, because anybody can change it. */
  verified: boolean;
}

/** An owner's statements about a link. */
export interface Invitation {
  person: Person | null;
  metadata: Record<string, string>;
  /** The deadline; a later clip is late. */
  dueAt: Date | null;
  /** The factor of the recording time; null: that of the project. It may tell something about the person. */
  timeFactor: number | null;
}

export const NOTHING_STATED: Invitation = { person: null, metadata: {}, dueAt: null, timeFactor: null };

/** Returns whether all parts of the invitation are empty. */
export const isEmpty = ({ person, metadata, dueAt, timeFactor }: Invitation): boolean =>
  !person && !dueAt && timeFactor === null && Object.keys(metadata).length === 0;

/**
 * Returns the text that identifies a person within a project; undefined without a reference and an email. Two people
 * with the same text are duplicates.
 */
export function identityOf({ reference, email }: Pick<Person, 'reference' | 'email'>): string | undefined {
  if (reference !== '') return `reference:${reference.normalize()}`;
  return email === '' ? undefined : `email:${email.normalize().toLowerCase()}`;
}

/**
 * Returns an invitation for storage. Fails with `invalid`: the sentence begins with `where` and names the field. It
 * never contains the field's value, because errors must not contain personal data.
 */
export function checkedInvitation({ person, metadata, dueAt, timeFactor }: Invitation, where = ''): Invitation {
  if (dueAt && Number.isNaN(dueAt.getTime())) throw invalid(`${where}dueAt must be a date.`);
  if (timeFactor !== null && !(timeFactor >= 1 && timeFactor <= LIMITS.timeFactor))
    throw invalid(`${where}timeFactor must be a number from 1 to ${LIMITS.timeFactor}.`);
  return {
    person: person && checkedPerson(person, where),
    metadata: checkedMetadata(metadata, where),
    dueAt,
    timeFactor,
  };
}

function checkedPerson(given: Person, where: string): Person | null {
  const text = (field: 'name' | 'reference' | 'email', max: number): string => {
    const value = given[field].trim();
    refuseControlCharacters(where + field, value);
    if (isLonger(value, max)) throw invalid(`${where}${field} must have at most ${max} characters.`);
    return value;
  };
  const person = {
    name: text('name', LIMITS.recipientTextLength),
    reference: text('reference', LIMITS.recipientTextLength),
    email: text('email', LIMITS.emailLength),
    locale: checkedLocale(given.locale.trim(), where),
    verified: true,
  };
  if (person.email !== '' && !person.email.includes('@')) throw invalid(`${where}email must contain @.`);
  const { name, reference, email, locale } = person;
  return name + reference + email + locale === '' ? null : person;
}

function checkedLocale(locale: string, where: string): string {
  if (locale === '') return '';
  const canonical = canonicalLanguageTag(locale);
  if (canonical !== undefined) return canonical;
  throw invalid(`${where}locale must be a BCP 47 tag, such as de-AT, of at most ${LIMITS.localeLength} characters.`);
}

function checkedMetadata(metadata: Record<string, string>, where: string): Record<string, string> {
  const entries = Object.entries(metadata);
  const { metadataKeys, metadataKeyLength, metadataValueLength } = LIMITS;
  if (entries.length > metadataKeys) throw invalid(`${where}metadata must have at most ${metadataKeys} keys.`);
  for (const [key, value] of entries) {
    refuseControlCharacters(`${where}metadata`, key + value);
    if (key === '' || isLonger(key, metadataKeyLength))
      throw invalid(`${where}metadata must have keys of 1 to ${metadataKeyLength} characters.`);
    if (isLonger(value, metadataValueLength))
      throw invalid(`${where}metadata must have values of at most ${metadataValueLength} characters.`);
  }
  return Object.fromEntries(entries);
}

/** Returns whether a text has more than `max` Unicode code points. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

const invalid = (sentence: string) => new DomainError('invalid', sentence);
