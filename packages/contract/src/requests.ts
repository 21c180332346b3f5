/**
 * Schemas of requests: bodies (strict: nothing is coerced, unknown fields are refused), queries (coerced; owners' routes refuse
 * unknown names) and path parameters. `x-constraint` is the end of the sentence that says what a value must be,
 * `x-hint` what is added to it in brackets.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { TRANSCRIPTION_LANGUAGE_RULE, TRANSCRIPTION_LANGUAGES } from './languages.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import {
  LINK_STATUSES,
  type LinkStatusName,
  MEDIA_STATUSES,
  type MediaStatusName,
  TRANSCRIPT_STATUSES,
  type TranscriptStatusName,
} from './resources/fields.ts';
import {
  OPTIONAL_EVENTS,
  type OptionalEvent,
  STANDARD_EVENTS,
  TEST_EVENT,
  WEBHOOK_EVENTS,
  type WebhookEventType,
} from './webhook-events.ts';
import { WEBHOOK_SECRET_RULE } from './webhook-secret.ts';

// String.prototype.trim's white space, spelled out: `\s` differs between the regular expressions of languages.
const SPACE = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
// Those of ASCII that are no white space. Nobody sees them, and programs that read an export stop at some: NUL ends a text in C.
const CONTROL = '\\u0000-\\u0008\\u000e-\\u001f\\u007f';
const NO_CONTROL = 'no control characters but white space';
const MIDDLE = `[^${CONTROL}]{0,${LIMITS.projectNameLength - 2}}`;
const TRIMMED_NAME = `^[${SPACE}]*[^${SPACE}${CONTROL}](?:${MIDDLE}[^${SPACE}${CONTROL}])?[${SPACE}]*$`;

const words = (limit: number) => limit.toLocaleString('en-US');
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const whole = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });
const text = (maxLength: number, description: string) =>
  Type.String({
    maxLength,
    pattern: `^[^${CONTROL}]*$`,
    description,
    'x-constraint': `must have at most ${maxLength} characters, and ${NO_CONTROL}`,
  });

const projectName = Type.String({
  pattern: TRIMMED_NAME,
  description: 'The title. White space around it is taken off.',
  examples: ['Customer stories'],
  'x-constraint': `must have 1 to ${LIMITS.projectNameLength} characters, and ${NO_CONTROL}`,
});

/** Both kinds of projects' bodies need the deployment's choice: whether plain http addresses are taken. */
export interface AddressRule {
  allowHttpUrls: boolean;
}

// URL parsers skip some of these and escape others, and read a backslash as a slash, so that what was written is not what is asked.
const UNSEEN = `${SPACE}\\u0000-\\u001f\\u007f-\\u009f\\\\`;
// Nothing listens at port 0, and HTTP clients take the default port for it.
const NO_PORT_0 = '(?![^/?#]*:0+(?:[/?#]|$))';

/** An absolute https address, or "" for none. Nothing is delivered to a user name or password. */
function address({ allowHttpUrls }: AddressRule, description: string, { credentials }: { credentials: boolean }) {
  const scheme = allowHttpUrls ? '[Hh][Tt][Tt][Pp][Ss]?' : '[Hh][Tt][Tt][Pp][Ss]';
  return Type.Optional(
    Type.Unsafe<string>({
      description,
      anyOf: [
        { type: 'string', const: '' },
        {
          type: 'string',
          format: 'uri',
          pattern: `^${scheme}://${NO_PORT_0}[^/?#${credentials ? '' : '@'}${UNSEEN}]+([/?#][^${UNSEEN}]*)?$`,
          maxLength: LIMITS.urlLength,
          examples: ['https://bakery.example/videos'],
        },
      ],
      'x-constraint': `must be an absolute ${allowHttpUrls ? 'https: or http: URL' : 'https: URL (http: only where the operator allows it)'} of at most ${words(LIMITS.urlLength)} characters without a backslash or port 0, without white space${credentials ? '' : ', user name or password'}, or "" for none`,
    }),
  );
}

const STANDARD_NAMES = new Intl.ListFormat('en-GB').format(STANDARD_EVENTS);

const window = {
  expiresInDays: Type.Optional(whole(LIMITS.expiresInDays, 'Days until the links expire.')),
  expiresInHours: Type.Optional(whole(LIMITS.expiresInHours, 'Hours until the links expire; wins over expiresInDays.')),
  neverExpire: flag('The links stay valid until exhausted or disabled; wins over both.'),
};
const sharedLinkMaxUses = Type.Optional(
  whole(LIMITS.sharedLinkMaxUses, 'Uses of the shared link. Without one it does not count.'),
);

const settings = (rule: AddressRule) => ({
  maxDurationSec: Type.Optional(whole(LIMITS.maxDurationSec, 'Longest clip, in seconds.')),
  transcriptionEnabled: flag('Transcripts for new uploads.'),
  transcriptionLanguage: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...TRANSCRIPTION_LANGUAGES, ''],
      description:
        'The language that contributors speak, by its code of ISO 639-1; for new uploads. "" for none: then it is found out, which is less sure in a short clip.',
      'x-constraint': TRANSCRIPTION_LANGUAGE_RULE,
    }),
  ),
  noteEnabled: flag('Show a note field to the contributor.'),
  requestUrl: address(rule, 'Shown on the recorder: a brief, an example, a source page.', { credentials: true }),
  webhookUrl: address(rule, 'Where events go.', { credentials: false }),
  webhookSecret: Type.Optional(
    Type.String({
      maxLength: LIMITS.webhookSecretLength,
      pattern: `^[^${CONTROL}]*$`,
      format: 'webhook-secret',
      description:
        'Signs the events; "" for none. Best whsec_ and the base64 of 24 to 64 random bytes, as the Standard Webhooks libraries take it; after whsec_ anything else is refused. Any other text is taken as it is.',
      'x-constraint': WEBHOOK_SECRET_RULE,
    }),
  ),
  webhookEvents: Type.Optional(
    Type.Array(
      Type.Unsafe<OptionalEvent>({
        type: 'string',
        enum: [...OPTIONAL_EVENTS],
        'x-hint': `${STANDARD_NAMES} always come: leave them out`,
      }),
      { uniqueItems: true, description: `Events that are sent beside ${STANDARD_NAMES}, which always come.` },
    ),
  ),
  requireTerms: flag('Require that terms are accepted before an upload.'),
  termsLabel: Type.Optional(text(LIMITS.termsLabelLength, 'Label of the acceptance; "" for our wording.')),
  termsText: Type.Optional(text(LIMITS.termsTextLength, 'The terms.')),
  interviewQuestions: Type.Optional(
    Type.Array(
      Type.String({
        minLength: 1,
        maxLength: LIMITS.questionLength,
        pattern: `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`,
        examples: ['Why?'],
        'x-constraint': `must have at least 1 character that is not white space, at most ${LIMITS.questionLength} characters, and ${NO_CONTROL}`,
      }),
      {
        maxItems: LIMITS.interviewQuestions,
        description: 'In order, none of white space alone; empty means one response without questions.',
      },
    ),
  ),
  showSuccessDialog: flag('Show a dialog after a successful upload.'),
  successMessage: Type.Optional(text(LIMITS.successMessageLength, 'Text of that dialog; "" for our wording.')),
});

const strict = { additionalProperties: false } as const;

/** Defaults of a creation's optional fields. These only describe them: the gateway fills them in. */
const CREATION_DEFAULTS = {
  neverExpire: false,
  sharedLinkEnabled: false,
  sharedLinkMaxUses: DEFAULTS.sharedLinkMaxUses,
  maxDurationSec: DEFAULTS.maxDurationSec,
  transcriptionEnabled: false,
  transcriptionLanguage: '',
  noteEnabled: false,
  requestUrl: '',
  webhookUrl: '',
  webhookSecret: '',
  webhookEvents: [],
  requireTerms: false,
  termsLabel: '',
  termsText: '',
  interviewQuestions: [],
  showSuccessDialog: false,
  successMessage: '',
};

function withDefaults<T extends { properties: object }>(body: T, defaults: Record<string, unknown>): T {
  const properties = Object.entries(body.properties).map(([name, schema]) => [
    name,
    name in defaults ? { ...schema, default: defaults[name] } : schema,
  ]);
  return { ...body, properties: Object.fromEntries(properties) };
}

/** The body of POST /api/projects. `expiryDays` is what the operator set, in whole days; undefined where it is no such number. */
export function createProjectBody(rule: AddressRule, expiryDays: number | undefined) {
  const days = expiryDays === undefined ? {} : { expiresInDays: expiryDays };
  return withDefaults(creationBody(rule), { ...CREATION_DEFAULTS, ...days });
}
export type CreateProjectInput = Static<ReturnType<typeof creationBody>>;

const creationBody = (rule: AddressRule) =>
  Type.Object(
    {
      projectName,
      count: Type.Integer({
        minimum: 1,
        maximum: LIMITS.count,
        description: 'How many single-recipient links to make.',
      }),
      ...window,
      sharedLinkEnabled: flag('Make a reusable shared link too.'),
      sharedLinkMaxUses,
      ...settings(rule),
    },
    strict,
  );

/** The body of PATCH /api/projects/<projectId>. */
export const updateProjectBody = (rule: AddressRule) =>
  Type.Object(
    { projectName: Type.Optional(projectName), ...window, sharedLinkMaxUses, ...settings(rule) },
    { ...strict, description: 'A field that is absent stays as it is.' },
  );
export type UpdateProjectInput = Static<ReturnType<typeof updateProjectBody>>;

export const UpdateSubmissionBody = Type.Object(
  {
    selected: flag("The reviewer's selection."),
    reviewNote: Type.Optional(text(LIMITS.reviewNoteLength, 'The reviewer\'s note; "" clears it.')),
  },
  { ...strict, description: 'A field that is absent stays as it is.' },
);
export type UpdateSubmissionInput = Static<typeof UpdateSubmissionBody>;

export const UpdateLinkBody = Type.Object(
  { disabled: Type.Boolean({ description: 'Whether new responses are refused. One that was begun may finish.' }) },
  strict,
);
export type UpdateLinkInput = Static<typeof UpdateLinkBody>;

const moment = (description: string, hint?: string) =>
  Type.Optional(
    Type.String({
      format: 'date-time',
      description,
      ...(hint !== undefined && { 'x-hint': hint }),
      'x-constraint': 'must be a time with its zone, such as 2026-03-02T10:00:00Z',
    }),
  );

export const RedeliverBody = Type.Object(
  {
    from: moment('Events from then on. Absent: from the first one.'),
    to: moment('Events before then. Absent: to the last one.'),
    undeliveredOnly: Type.Optional(
      Type.Boolean({ default: false, description: 'Leave out those that were delivered.' }),
    ),
  },
  { ...strict, description: 'Which of the project’s events; {} means all of them.' },
);
export type RedeliverInput = Static<typeof RedeliverBody>;

export const TestWebhookBody = Type.Unsafe<{ type?: WebhookEventType } | null>({
  type: ['object', 'null'],
  properties: {
    type: {
      type: 'string',
      enum: [...WEBHOOK_EVENTS],
      default: TEST_EVENT,
      description: 'The event to show, with made-up content.',
    },
  },
  additionalProperties: false,
  description: 'May be left out.',
});
export type TestWebhookInput = Static<typeof TestWebhookBody>;

export const BeginResponseBody = Type.Object(
  {
    responseSessionId: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'A UUID of your own, which the device keeps. The answer tells which one counts. Absent: one is made.',
      }),
    ),
    termsAccepted: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the contributor accepted the terms.' }),
    ),
  },
  strict,
);
export type BeginResponseInput = Static<typeof BeginResponseBody>;

export const UpdateResponseBody = Type.Object(
  { note: text(LIMITS.noteLength, '"" clears it. Taken, and not delivered, where the project has notes off.') },
  strict,
);
export type UpdateResponseInput = Static<typeof UpdateResponseBody>;

const filter = {
  selected: Type.Optional(Type.Boolean({ description: 'Keep only submissions whose `selected` equals the value.' })),
  transcriptStatus: Type.Optional(
    Type.Unsafe<TranscriptStatusName>({
      type: 'string',
      enum: [...TRANSCRIPT_STATUSES],
      description: 'Keep only submissions in that transcript state.',
    }),
  ),
};
const page = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.pageSize,
      default: DEFAULTS.pageSize,
      description: 'Page size. A page with very long transcripts has fewer.',
      'x-constraint': `must be a whole number from 1 to ${LIMITS.pageSize}`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: 'Taken from `pagination.nextCursor` of the page before.',
      'x-constraint': 'must be the nextCursor of the page before',
    }),
  ),
};

/** Query of the CSV export. */
export const CsvQuery = Type.Object({
  bom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: '1: a UTF-8 byte order mark in front, by which spreadsheets know the encoding.',
      'x-constraint': 'must be 1 or 0',
    }),
  ),
});
export type CsvInput = Static<typeof CsvQuery>;
export const ExportQuery = Type.Object(filter);
export type ExportFilter = Static<typeof ExportQuery>;
// In a query a plus sign is a space.
const PLUS = 'in an address + is written %2B';
/** What a list of submissions is narrowed by, beyond what an export is. */
const search = {
  q: Type.Optional(
    Type.String({
      maxLength: LIMITS.searchLength,
      description: `Words that all stand in the transcript, the contributor's note, the review note or the question. Parts of words count, letter case and Unicode normal form do not; the first eight words count.`,
    }),
  ),
  tokenId: Type.Optional(Type.String({ format: 'uuid', description: 'Keep only what came through this link.' })),
  responseSessionId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Keep only what belongs to the response whose `responseId` is that, in an interview or not.',
    }),
  ),
  mediaStatus: Type.Optional(
    Type.Unsafe<MediaStatusName>({
      type: 'string',
      enum: [...MEDIA_STATUSES],
      description: 'Keep only submissions whose `mediaStatus` is that.',
    }),
  ),
  createdAfter: moment('Keep only submissions whose `createdAt` is after this time, not at it.', PLUS),
  createdBefore: moment('Keep only submissions whose `createdAt` is before this time, not at it.', PLUS),
  changedAfter: moment(
    'Keep only submissions that came, or of which anything changed, after this time: media, transcript, note, selection.',
    PLUS,
  ),
};

export const SubmissionsQuery = Type.Object({ ...page, ...filter, ...search });
export type SubmissionsQueryInput = Static<typeof SubmissionsQuery>;
export const DashboardLinksQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.linkPageSize,
      default: DEFAULTS.linkPageSize,
      description: 'Page size.',
      'x-constraint': `must be a whole number from 1 to ${LIMITS.linkPageSize}`,
    }),
  ),
  cursor: page.cursor,
  status: Type.Optional(
    Type.Unsafe<LinkStatusName>({
      type: 'string',
      enum: [...LINK_STATUSES],
      description: 'Keep only single-recipient links in that state.',
    }),
  ),
  complete: flag('Keep only single-recipient links whose response is complete (true), or is not (false).'),
});
export type DashboardLinksInput = Static<typeof DashboardLinksQuery>;
/** The filters of all lists. A dashboard's list refuses those of them that it does not take, however they are written. */
export const FILTER_NAMES: readonly string[] = [...Object.keys({ ...filter, ...search }), 'status'];
export const PageQuery = Type.Object(page);
export type PageQueryInput = Static<typeof PageQuery>;

const id = (description: string) => Type.String({ format: 'uuid', description });
const params = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields);

export const ProjectParams = params({ projectId: id('The project.') });
export const SubmissionParams = params({ projectId: id('The project.'), submissionId: id('The submission.') });
export const LinkParams = params({ projectId: id('The project.'), tokenId: id('The link.') });
export const DeliveryParams = params({ projectId: id('The project.'), deliveryId: id('The delivery.') });

/** A dashboard token is checked before anything is validated, so its form does not stand here. */
const projectToken = Type.String({ description: 'The private dashboard token, prefix prj_.' });
export const DashboardParams = params({ projectToken });
export const DashboardSubmissionParams = params({ projectToken, submissionId: id('The submission.') });

const token = Type.String({ description: 'The recipient token, prefix vr_.' });
export const RecipientParams = params({ token });
export const ResponseParams = params({ token, responseSessionId: id('The response.') });
