import type { InvitationInput } from '@recording-request/contract/invitation';

/** The values of the form, as the browser has them. A checkbox is true or false. */
export interface FormValues {
  projectName: string;
  /** One question for each line that is not empty. */
  interviewQuestions: string;
  requestUrl: string;
  people: InvitationInput[];
  /** Links without a person. */
  otherLinks: string;
  sharedLinkEnabled: boolean;
  sharedLinkMaxUses: string;
  maxDurationSec: string;
  noteEnabled: boolean;
  transcriptionEnabled: boolean;
  transcriptionLanguage: string;
  expiresInDays: string;
  neverExpire: boolean;
  /** Days, separated by commas or spaces. */
  remindAfterDays: string;
  requireTerms: boolean;
  termsLabel: string;
  termsText: string;
  successMessage: string;
  returnUrl: string;
  webhookUrl: string;
  webhookSecret: string;
  retentionDays: string;
  sandbox: boolean;
}

/** The values of an empty form. They are the API's defaults; an empty number leaves the default to the API. */
export const EMPTY: FormValues = {
  projectName: '',
  interviewQuestions: '',
  requestUrl: '',
  people: [],
  otherLinks: '',
  sharedLinkEnabled: false,
  sharedLinkMaxUses: '100',
  maxDurationSec: '120',
  noteEnabled: false,
  transcriptionEnabled: false,
  transcriptionLanguage: '',
  expiresInDays: '',
  neverExpire: false,
  remindAfterDays: '',
  requireTerms: false,
  termsLabel: '',
  termsText: '',
  successMessage: '',
  returnUrl: '',
  webhookUrl: '',
  webhookSecret: '',
  retentionDays: '',
  sandbox: false,
};

export type CreationBody = { projectName: string; count: number } & Record<string, unknown>;

const SAME = [
  'requestUrl',
  'noteEnabled',
  'transcriptionEnabled',
  'transcriptionLanguage',
  'requireTerms',
  'termsLabel',
  'termsText',
  'returnUrl',
  'webhookUrl',
  'webhookSecret',
  'sandbox',
] as const;

/**
 * Returns the body of POST /api/projects with the settings that differ from the defaults. Passes a value that is not a
 * number on as it is, so that the API names the field in its error.
 */
export function creationBody(values: FormValues): CreationBody {
  const { people, otherLinks } = values;
  const questions = linesOf(values.interviewQuestions);
  const days = values.remindAfterDays.split(/[\s,;]+/).filter(each => each !== '');
  const others = numberOf(otherLinks === '' ? (people.length > 0 ? '0' : '1') : otherLinks);
  const body: CreationBody = {
    projectName: values.projectName,
    // An API that gets text instead of a number names the field.
    count: (typeof others === 'number' ? others + people.length : others) as number,
  };
  if (people.length > 0) body.recipients = people;
  if (questions.length > 0) body.interviewQuestions = questions;
  if (values.sharedLinkEnabled) {
    body.sharedLinkEnabled = true;
    if (values.sharedLinkMaxUses !== EMPTY.sharedLinkMaxUses)
      body.sharedLinkMaxUses = numberOf(values.sharedLinkMaxUses);
  }
  if (values.maxDurationSec !== EMPTY.maxDurationSec) body.maxDurationSec = numberOf(values.maxDurationSec);
  if (values.neverExpire) body.neverExpire = true;
  else if (values.expiresInDays !== '') body.expiresInDays = numberOf(values.expiresInDays);
  if (days.length > 0) body.remind = { afterDays: days.map(numberOf) };
  if (values.retentionDays !== '') body.retentionDays = numberOf(values.retentionDays);
  if (values.successMessage !== '')
    Object.assign(body, { showSuccessDialog: true, successMessage: values.successMessage });
  for (const name of SAME) if (values[name] !== EMPTY[name]) body[name] = values[name];
  return body;
}

export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

const numberOf = (text: string): number | string => (/^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text);
