import { DomainError } from '@recording-request/kit/errors';
import { refuseControlCharacters } from '@recording-request/kit/plain-text';
import type { Settings } from './project.ts';

const DAY_SECONDS = 86_400;

type Bound =
  | 'projectNameLength'
  | 'count'
  | 'expiresInDays'
  | 'sharedLinkMaxUses'
  | 'maxDurationSec'
  | 'urlLength'
  | 'webhookSecretLength'
  | 'termsLabelLength'
  | 'termsTextLength'
  | 'successMessageLength'
  | 'interviewQuestions'
  | 'questionLength';

/** The bounds and defaults that settings are held to; the public contract has them. */
export interface SettingsRules {
  limits: Readonly<Record<Bound, number>>;
  defaults: { readonly maxDurationSec: number; readonly sharedLinkMaxUses: number };
  allowHttp: boolean;
  /** The events that a project can ask for. */
  webhookEvents: readonly string[];
  languages: {
    /** The codes that a project can name. */
    codes: readonly string[];
    /** The end of the sentence about any other. */
    sentence: string;
  };
  webhookSecret: {
    isValid(text: string): boolean;
    /** The end of the sentence about a text that is none. */
    sentence: string;
  };
}

/** The settings with their free text checked and trimmed. Fails with `invalid` at the first field that is wrong. */
export function checkedSettings<T extends Partial<Settings>>(settings: T, rules: SettingsRules): T {
  const { limits } = rules;
  const checked = { ...settings };
  if (settings.projectName !== undefined) checked.projectName = checkedName(settings.projectName, limits);
  if (settings.maxDurationSec !== undefined) inRange('maxDurationSec', settings.maxDurationSec, limits.maxDurationSec);
  for (const field of ['requestUrl', 'webhookUrl'] as const) {
    if (settings[field] !== undefined) checkUrl(field, settings[field], rules);
  }
  for (const field of ['termsLabel', 'termsText', 'successMessage'] as const) {
    if (settings[field] !== undefined) checkText(field, settings[field], limits[`${field}Length`]);
  }
  if (settings.interviewQuestions !== undefined) checkQuestions(settings.interviewQuestions, limits);
  if (settings.webhookEvents !== undefined) checkEvents(settings.webhookEvents, rules.webhookEvents);
  const language = settings.transcriptionLanguage;
  if (language && !rules.languages.codes.includes(language)) {
    throw broken(`transcriptionLanguage ${rules.languages.sentence}.`);
  }
  const uses = settings.sharedLinkMaxUses;
  if (uses !== undefined && uses !== null) inRange('sharedLinkMaxUses', uses, limits.sharedLinkMaxUses);
  return checked;
}

/** The settings that a project is made with. */
export type GivenSettings = Omit<Settings, 'sharedLinkMaxUses'> & { sharedLinkMaxUses?: number | undefined };

/** The checked settings of a new project; 0 seconds and absent uses take their defaults. */
export function newSettings(given: GivenSettings, rules: SettingsRules): Settings {
  const maxUses = given.sharedLinkMaxUses ?? rules.defaults.sharedLinkMaxUses;
  return checkedSettings<Settings>(
    {
      ...given,
      maxDurationSec: given.maxDurationSec || rules.defaults.maxDurationSec,
      // Without a shared link its uses are ignored.
      sharedLinkMaxUses: given.sharedLinkEnabled ? maxUses : null,
    },
    rules,
  );
}

export function checkCount(count: number, { limits }: SettingsRules): void {
  inRange('count', count, limits.count);
}

export function checkSecret(secret: string, { limits, webhookSecret }: SettingsRules): void {
  notLonger('webhookSecret', secret, limits.webhookSecretLength);
  if (!webhookSecret.isValid(secret)) throw broken(`webhookSecret ${webhookSecret.sentence}.`);
}

export function checkExpiry(seconds: number, { limits }: SettingsRules): void {
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > limits.expiresInDays * DAY_SECONDS) {
    throw broken('expiresInDays or expiresInHours must be at least 1 and at most ten years.');
  }
}

/** The message names the field as the public API calls it. */
function broken(message: string): DomainError {
  return new DomainError('invalid', message);
}

function checkedName(name: string, limits: SettingsRules['limits']): string {
  const trimmed = name.trim();
  if (trimmed === '') throw broken('projectName must not be empty.');
  checkText('projectName', trimmed, limits.projectNameLength);
  return trimmed;
}

function inRange(field: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw broken(`${field} must be a whole number from 1 to ${max.toLocaleString('en')}.`);
  }
}

function checkText(field: string, text: string, max: number): void {
  refuseControlCharacters(field, text);
  notLonger(field, text, max);
}

function notLonger(field: string, text: string, max: number): void {
  // Characters as JSON Schema counts them, so that the gateway and this service agree on emoji.
  if (text.length > max && [...text].length > max) {
    throw broken(`${field} must be at most ${max.toLocaleString('en')} characters.`);
  }
}

function checkUrl(field: string, text: string, rules: SettingsRules): void {
  if (text === '') return;
  notLonger(field, text, rules.limits.urlLength);
  // The URL parser removes these in some places and escapes them in others, and reads a backslash as a slash: another address would be stored.
  if (/[\s\p{Cc}\\]/u.test(text))
    throw broken(`${field} must not have white space, control characters or a backslash in it.`);
  const url = URL.parse(text);
  const schemes = rules.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!url || !schemes.includes(url.protocol) || url.hostname === '') {
    throw broken(`${field} must be an absolute ${schemes.join(' or ')} address.`);
  }
  if (url.port === '0') throw broken(`${field} must not name port 0: nothing answers there.`);
  if (field === 'webhookUrl' && (url.username !== '' || url.password !== '')) {
    throw broken('webhookUrl must not carry a user name or password: nothing is delivered to such an address.');
  }
}

function checkEvents(events: string[], known: readonly string[]): void {
  const unknown = events.find(event => !known.includes(event));
  if (unknown !== undefined) {
    throw broken(`webhookEvents: ${JSON.stringify(unknown)} is none of ${known.join(', ')}.`);
  }
  if (new Set(events).size < events.length) throw broken('webhookEvents must not name an event twice.');
}

function checkQuestions(questions: string[], limits: SettingsRules['limits']): void {
  if (questions.length > limits.interviewQuestions) {
    throw broken(`interviewQuestions must be at most ${limits.interviewQuestions} questions.`);
  }
  for (const question of questions) {
    if (question.trim() === '') throw broken('interviewQuestions must not hold an empty question.');
    checkText('interviewQuestions: each question', question, limits.questionLength);
  }
}
