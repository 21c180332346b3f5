/**
 * The settings of a project. Request bodies, their validation in the gateway and in the projects service, defaults, answers
 * and the stored form come from this table. The message `ProjectSettings` is written by hand; a test compares it with the
 * table.
 */
import Type, { type TSchema } from 'typebox';
import { brandRequest, NO_BRAND, ProjectBrand } from './brand.ts';
import { TRANSCRIPTION_LANGUAGE_RULE, TRANSCRIPTION_LANGUAGES } from './languages.ts';
import { LIMITS } from './limits.ts';
import {
  type AddressRule,
  address,
  PLAIN,
  question,
  reminderTimes,
  text,
  timeFactor,
  title,
  whole,
} from './request-fields.ts';
import {
  ANSWER_MODES,
  type AnswerModeName,
  flag,
  nullableInteger,
  oneOf,
  text as shownText,
} from './resources/fields.ts';
import { returnAddress } from './return-address.ts';
import { OPTIONAL_EVENTS, type OptionalEvent, STANDARD_EVENTS } from './webhook-events.ts';
import { WEBHOOK_SECRET_RULE } from './webhook-secret.ts';

export { NO_BRAND, normalBrand } from './brand.ts';

interface Setting<Value, Answer extends TSchema | undefined> {
  /** The value when a creation omits the setting. */
  default: Value;
  /** The schema in a request. The gateway and the projects service refuse other values. */
  request: TSchema;
  /** The schema in an answer. Undefined for a setting that answers never show and that is stored separately. */
  answer: Answer;
  /** False if PATCH does not accept the setting. */
  patch?: false;
}

const setting = <Value, Answer extends TSchema | undefined>(entry: Setting<Value, Answer>) => entry;

const STANDARD_NAMES = new Intl.ListFormat('en-GB').format(STANDARD_EVENTS);

/** One entry for each setting. Bodies list and check the settings in this order. */
const settingsTable = (rule: AddressRule) => ({
  projectName: setting({
    // Required in a creation.
    default: '',
    request: title('The title. White space around it is removed.'),
    answer: shownText('Its title.'),
  }),
  sharedLinkEnabled: setting({
    default: false,
    request: flag('Also make a reusable shared link.'),
    answer: flag('Whether there is a shared link.'),
    patch: false,
  }),
  /** 0 when the project has no shared link. */
  sharedLinkMaxUses: setting({
    default: 100,
    request: whole(LIMITS.sharedLinkMaxUses, 'Uses of the shared link. Ignored without one.'),
    answer: nullableInteger('Uses of the shared link; null without one.'),
  }),
  maxDurationSec: setting({
    default: 120,
    request: whole(LIMITS.maxDurationSec, 'Longest clip, in seconds.'),
    // Does not state today's maximum, so that clients accept a larger maximum later.
    answer: Type.Integer({ minimum: 1, description: 'Longest clip, in seconds.' }),
  }),
  transcriptionEnabled: setting({
    default: false,
    request: flag('Transcripts for new uploads.'),
    answer: flag('Whether new uploads get a transcript.'),
  }),
  transcriptionLanguage: setting({
    default: '',
    request: Type.Unsafe<string>({
      type: 'string',
      enum: [...TRANSCRIPTION_LANGUAGES, ''],
      description:
        'The language that contributors speak in new uploads, as an ISO 639-1 code. "" detects it, which is less reliable for a short clip.',
      'x-constraint': TRANSCRIPTION_LANGUAGE_RULE,
    }),
    answer: shownText('The language in which new uploads are transcribed; "" if it is detected.'),
  }),
  noteEnabled: setting({
    default: false,
    request: flag('Show a note field to the contributor.'),
    answer: flag('Whether the recorder shows a note field.'),
  }),
  requestUrl: setting({
    default: '',
    request: address(rule, 'Shown on the recorder: a brief, an example, a source page.', { credentials: true }),
    answer: shownText('Shown on the recorder; "" when there is none.'),
  }),
  webhookUrl: setting({
    default: '',
    request: address(rule, 'The address for events.', { credentials: false }),
    answer: shownText('The address for events; "" when there is none.'),
  }),
  webhookSecret: setting({
    default: '',
    request: Type.String({
      maxLength: LIMITS.webhookSecretLength,
      pattern: PLAIN,
      format: 'webhook-secret',
      description:
        'Signs the events; "" for none. Recommended: whsec_ and the base64 of 24 to 64 random bytes, as the Standard Webhooks libraries accept it; after whsec_ anything else is refused. Any other text is used unchanged.',
      'x-constraint': WEBHOOK_SECRET_RULE,
    }),
    answer: undefined,
  }),
  webhookEvents: setting({
    default: [] as string[],
    request: Type.Array(
      Type.Unsafe<OptionalEvent>({
        type: 'string',
        enum: [...OPTIONAL_EVENTS],
        'x-hint': `${STANDARD_NAMES} always come: leave them out`,
      }),
      {
        uniqueItems: true,
        description: `Events to send in addition to ${STANDARD_NAMES}, which are always sent. The list replaces the one before: name every event that you want.`,
      },
    ),
    answer: Type.Array(oneOf(OPTIONAL_EVENTS, 'The type of an event.'), {
      description: 'The events that are sent in addition to the standard ones.',
    }),
  }),
  requireTerms: setting({
    default: false,
    request: flag('Require that terms are accepted before an upload.'),
    answer: flag('Whether terms must be accepted before an upload.'),
  }),
  termsLabel: setting({
    default: '',
    request: text(LIMITS.termsLabelLength, 'Label of the acceptance; "" for our wording.'),
    answer: shownText('Label of the terms acceptance; "" for the wording of the recorder.'),
  }),
  termsText: setting({
    default: '',
    request: text(LIMITS.termsTextLength, 'The terms.'),
    answer: shownText('The terms.'),
  }),
  interviewQuestions: setting({
    default: [] as string[],
    request: Type.Array(question, {
      maxItems: LIMITS.interviewQuestions,
      description: 'In order; no question is only white space. Empty means one response without questions.',
    }),
    answer: Type.Array(Type.String(), { description: 'In order.' }),
  }),
  remind: setting({
    default: { afterDays: [] as number[], beforeDueHours: [] as number[] },
    request: Type.Object(
      {
        afterDays: Type.Optional(reminderTimes(LIMITS.remindAfterDays, 'Days after the link was made.')),
        beforeDueHours: Type.Optional(reminderTimes(LIMITS.remindBeforeHours, 'Hours before its deadline.')),
      },
      {
        additionalProperties: false,
        description:
          'When link.reminder_due is sent for a unique link whose person has sent nothing. The service sends no mail. A time that has passed already is left out. The `webhookUrl` gets this event only if `webhookEvents` names it; otherwise only the feed has it.',
      },
    ),
    answer: Type.Object(
      { afterDays: Type.Array(Type.Integer()), beforeDueHours: Type.Array(Type.Integer()) },
      { description: 'When link.reminder_due is sent; empty lists for never.', additionalProperties: false },
    ),
  }),
  showSuccessDialog: setting({
    default: false,
    request: flag('Show a dialog after a successful upload.'),
    answer: flag('Whether a dialog follows a successful upload.'),
  }),
  successMessage: setting({
    default: '',
    request: text(LIMITS.successMessageLength, 'Text of that dialog; "" for our wording.'),
    answer: shownText('Text of the success dialog; "" for the wording of the recorder.'),
  }),
  acceptReference: setting({
    default: false,
    request: flag('Keep the reference in the address of the shared link, ?ref=…, with the response.'),
    answer: flag('Whether responses of the shared link keep the reference in its address.'),
  }),
  returnUrl: setting({
    default: '',
    request: returnAddress(
      rule,
      'Where the contributor can go after the last clip. In its path and query, {reference}, {submissionId} (of the first answer) and {code} (the completion code) are replaced.',
    ),
    answer: shownText('Where the contributor can go at the end; "" when there is none.'),
  }),
  sandbox: setting({
    default: false,
    request: flag(
      `Make a project for tests: clips of at most ${LIMITS.sandboxDurationSec} s, no use of the allowance, and the project is erased with its clips after a day.`,
    ),
    answer: flag('Whether it is a sandbox: a project for tests, which is erased a day after its creation.'),
    patch: false,
  }),
  script: setting({
    default: '',
    request: text(
      LIMITS.scriptLength,
      'A text for the contributor to read while recording; "" for none. Lines that begin with `- ` are bullet points.',
    ),
    answer: shownText('The text that the contributor can read while recording; "" when there is none.'),
  }),
  answerModes: setting({
    default: ['video', 'file'] as string[],
    request: Type.Array(Type.Unsafe<AnswerModeName>({ type: 'string', enum: [...ANSWER_MODES] }), {
      ...{ minItems: 1, uniqueItems: true },
      description:
        'How contributors may answer. video: record with the camera; audio: record the sound, which becomes a video with a still picture; file: choose a video. The list replaces the one before.',
    }),
    answer: Type.Array(oneOf(ANSWER_MODES, 'A way to answer.'), { description: 'How contributors may answer.' }),
  }),
  timeFactor: setting({
    default: 1,
    request: Type.Unsafe<number>(
      timeFactor(
        `Every contributor may record this many times \`maxDurationSec\`, rounded to seconds; a link can have its own factor. Clips of a sandbox stay within ${LIMITS.sandboxDurationSec} s.`,
      ),
    ),
    answer: Type.Optional(
      Type.Number({
        minimum: 1,
        description:
          'How many times `maxDurationSec` a contributor may record. Only for API tokens: exports, events and the dashboard leave it out.',
      }),
    ),
  }),
  brand: setting({
    default: NO_BRAND,
    request: brandRequest(
      'The name and colour that contributors see; what it leaves out comes from your own brand (PATCH /api/me), then from the operator. null for none. Replaces the old one. Applies at once, also to responses that have begun.',
    ),
    answer: ProjectBrand,
  }),
});

type Table = ReturnType<typeof settingsTable>;
/** The values of all settings in a body. */
export type SettingInputs = { [Name in keyof Table]: Table[Name]['default'] };
export type SettingName = Exclude<keyof Table, 'webhookSecret'>;
/** The settings of a project, in the stored form and the form that services send. */
export type Settings = Pick<SettingInputs, SettingName>;

// The argument affects only the schemas of addresses, and this table uses none of those schemas.
const TABLE = settingsTable({ allowHttpUrls: false });
const entries = Object.entries(TABLE) as [keyof Table, Setting<unknown, TSchema | undefined>][];

export const SETTING_NAMES = entries.filter(([, { answer }]) => answer).map(([name]) => name) as SettingName[];

/** The values of settings that a creation omits. */
export const SETTING_DEFAULTS = Object.fromEntries(
  entries.map(([name, entry]) => [name, entry.default]),
) as SettingInputs;

/** The settings that a list of projects shows. */
export const SUMMARY_SETTINGS = [
  'projectName',
  'maxDurationSec',
  'transcriptionEnabled',
  'noteEnabled',
  'requireTerms',
  'showSuccessDialog',
  'sandbox',
] as const satisfies SettingName[];

/**
 * The settings that only the answer for one project shows, in the order of this answer: add a new setting at the end.
 */
export const DETAIL_SETTINGS = [
  'requestUrl',
  'webhookUrl',
  'sharedLinkEnabled',
  'sharedLinkMaxUses',
  'termsLabel',
  'termsText',
  'interviewQuestions',
  'successMessage',
  'webhookEvents',
  'transcriptionLanguage',
  'acceptReference',
  'returnUrl',
  'remind',
  'script',
  'answerModes',
  'brand',
] as const satisfies SettingName[];

/** The settings that exports and the dashboard leave out, because they may tell something about people. */
export const PRIVATE_SETTINGS = ['timeFactor'] as const satisfies SettingName[];

/**
 * Returns the settings of a message or a record with the defaults of those that it lacks: a record can be older than a
 * setting, and so can the version of the sender.
 */
export const completeSettings = <T extends Partial<Settings>>(settings: T) => ({
  ...settings,
  remind: settings.remind ?? SETTING_DEFAULTS.remind,
  brand: settings.brand ?? SETTING_DEFAULTS.brand,
  script: settings.script ?? SETTING_DEFAULTS.script,
  answerModes: settings.answerModes?.length ? settings.answerModes : SETTING_DEFAULTS.answerModes,
  timeFactor: settings.timeFactor || SETTING_DEFAULTS.timeFactor,
});

/** Returns the named fields of an object that have a value. */
export const pick = <T extends object, Name extends keyof T>(from: T, names: readonly Name[]): Pick<T, Name> =>
  Object.fromEntries(names.filter(name => from[name] !== undefined).map(name => [name, from[name]])) as Pick<T, Name>;

/** Returns the schemas of the named settings in an answer. */
export const settingAnswers = <Name extends SettingName>(names: readonly Name[]) =>
  Object.fromEntries(names.map(name => [name, TABLE[name].answer])) as { [N in Name]: Table[N]['answer'] };

/**
 * Returns the schemas of the settings in a body, in order. With `patch`, returns only the settings that PATCH accepts.
 */
export function settingRequests(rule: AddressRule, { patch }: { patch: boolean }): Record<string, TSchema> {
  const taken = Object.entries(settingsTable(rule)).filter(([, entry]) => !patch || !('patch' in entry));
  return Object.fromEntries(taken.map(([name, { request }]) => [name, request]));
}
