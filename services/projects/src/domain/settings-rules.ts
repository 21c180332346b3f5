import { isWebhookSecret, WEBHOOK_SECRET_RULE } from '@recording-request/contract/webhook-secret';
import { DomainError } from '@recording-request/kit/errors';
import type { Settings } from './project.ts';

const DAY_SECONDS = 86_400;

export const LIMITS = {
  projectName: 200,
  count: 10_000,
  sharedLinkMaxUses: 1_000_000,
  sharedLinkMaxUsesDefault: 100,
  maxDurationSec: 600,
  maxDurationSecDefault: 120,
  url: 2_048,
  webhookSecret: 512,
  termsLabel: 200,
  termsText: 20_000,
  successMessage: 2_000,
  interviewQuestions: 50,
  interviewQuestion: 500,
  idempotencyKey: 255,
  expirySeconds: 3_650 * DAY_SECONDS,
} as const;

export interface UrlRules {
  allowHttp: boolean;
}

/** The settings with their free text checked and trimmed. Fails with `invalid` at the first field that is wrong. */
export function checkedSettings<T extends Partial<Settings>>(settings: T, urls: UrlRules): T {
  const checked = { ...settings };
  if (settings.projectName !== undefined) checked.projectName = checkedName(settings.projectName);
  if (settings.maxDurationSec !== undefined) inRange('maxDurationSec', settings.maxDurationSec, LIMITS.maxDurationSec);
  for (const field of ['requestUrl', 'webhookUrl'] as const) {
    if (settings[field] !== undefined) checkUrl(field, settings[field], urls);
  }
  for (const field of ['termsLabel', 'termsText', 'successMessage'] as const) {
    if (settings[field] !== undefined) notLonger(field, settings[field], LIMITS[field]);
  }
  if (settings.interviewQuestions !== undefined) checkQuestions(settings.interviewQuestions);
  const uses = settings.sharedLinkMaxUses;
  if (uses !== undefined && uses !== null) inRange('sharedLinkMaxUses', uses, LIMITS.sharedLinkMaxUses);
  return checked;
}

/** The settings that a project is made with. */
export type GivenSettings = Omit<Settings, 'sharedLinkMaxUses'> & { sharedLinkMaxUses?: number | undefined };

/** The checked settings of a new project; 0 seconds and absent uses take their defaults. */
export function newSettings(given: GivenSettings, urls: UrlRules): Settings {
  const maxUses = given.sharedLinkMaxUses ?? LIMITS.sharedLinkMaxUsesDefault;
  return checkedSettings<Settings>(
    {
      ...given,
      maxDurationSec: given.maxDurationSec || LIMITS.maxDurationSecDefault,
      // Without a shared link its uses are ignored.
      sharedLinkMaxUses: given.sharedLinkEnabled ? maxUses : null,
    },
    urls,
  );
}

export function checkCount(count: number): void {
  inRange('count', count, LIMITS.count);
}

export function checkSecret(secret: string): void {
  notLonger('webhookSecret', secret, LIMITS.webhookSecret);
  if (!isWebhookSecret(secret)) throw broken(`webhookSecret ${WEBHOOK_SECRET_RULE}.`);
}

export function checkExpiry(seconds: number): void {
  if (!Number.isSafeInteger(seconds) || seconds < 1 || seconds > LIMITS.expirySeconds) {
    throw broken('expiresInDays or expiresInHours must be at least 1 and at most ten years.');
  }
}

/** The message names the field as the public API calls it. */
function broken(message: string): DomainError {
  return new DomainError('invalid', message);
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === '') throw broken('projectName must not be empty.');
  notLonger('projectName', trimmed, LIMITS.projectName);
  return trimmed;
}

function inRange(field: string, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw broken(`${field} must be a whole number from 1 to ${max.toLocaleString('en')}.`);
  }
}

function notLonger(field: string, text: string, max: number): void {
  // Characters as JSON Schema counts them, so that the gateway and this service agree on emoji.
  if (text.length > max && [...text].length > max) {
    throw broken(`${field} must be at most ${max.toLocaleString('en')} characters.`);
  }
}

function checkUrl(field: string, text: string, urls: UrlRules): void {
  if (text === '') return;
  notLonger(field, text, LIMITS.url);
  // The URL parser removes these in some places and escapes them in others: another address would be stored.
  if (/[\s\p{Cc}]/u.test(text)) throw broken(`${field} must not have white space or control characters in it.`);
  const url = URL.parse(text);
  const schemes = urls.allowHttp ? ['https:', 'http:'] : ['https:'];
  if (!url || !schemes.includes(url.protocol) || url.hostname === '') {
    throw broken(`${field} must be an absolute ${schemes.join(' or ')} address.`);
  }
  if (field === 'webhookUrl' && (url.username !== '' || url.password !== '')) {
    throw broken('webhookUrl must not carry a user name or password: nothing is delivered to such an address.');
  }
}

function checkQuestions(questions: string[]): void {
  if (questions.length > LIMITS.interviewQuestions) {
    throw broken(`interviewQuestions must be at most ${LIMITS.interviewQuestions} questions.`);
  }
  for (const question of questions) {
    if (question.trim() === '') throw broken('interviewQuestions must not hold an empty question.');
    notLonger('interviewQuestions: each question', question, LIMITS.interviewQuestion);
  }
}
