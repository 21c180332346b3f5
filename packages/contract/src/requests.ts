/**
 * Schemas of requests: bodies (strict: no coercion, no unknown fields), queries (coerced; owners' routes refuse unknown
 * names) and path parameters.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { type InvitationInput, invitationInput } from './invitation.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import { SETTING_DEFAULTS, type SettingInputs, settingRequests } from './project-settings.ts';
import { REFERENCE_PATTERN } from './reference.ts';
import { type AddressRule, momentText, PLAIN, text, whole } from './request-fields.ts';
import {
  flag,
  LINK_STATUSES,
  type LinkStatusName,
  MEDIA_STATUSES,
  type MediaStatusName,
  TRANSCRIPT_STATUSES,
  type TranscriptStatusName,
} from './resources/fields.ts';
import { type RetentionInput, retention } from './retention.ts';
import { FEED_EVENTS, TEST_EVENT, WEBHOOK_EVENTS, type WebhookEventType } from './webhook-events.ts';

const optionalFlag = (description: string) => Type.Optional(flag(description));

const strict = { additionalProperties: false } as const;

const optional = (schemas: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]));

const window = {
  expiresInDays: Type.Optional(whole(LIMITS.expiresInDays, 'Days until the links expire.')),
  expiresInHours: Type.Optional(whole(LIMITS.expiresInHours, 'Hours until the links expire; wins over expiresInDays.')),
  neverExpire: optionalFlag('The links stay valid until exhausted or disabled; wins over both.'),
};
type Window = Static<Type.TObject<typeof window>>;

/**
 * The body of POST /api/projects. `expiryDays` is the operator's setting in whole days; undefined if it is not a whole
 * number.
 */
export function createProjectBody(rule: AddressRule, expiryDays?: number) {
  const { projectName, ...settings } = settingRequests(rule, { patch: false });
  const count = Type.Integer({
    minimum: 1,
    maximum: LIMITS.count,
    description: 'The number of single-recipient links to make.',
  });
  const recipients = Type.Optional(
    Type.Array(invitationInput, {
      maxItems: LIMITS.count,
      description:
        'The people of the first single-recipient links, in this order; the remaining links have none. At most `count`.',
    }),
  );
  const body = Type.Object(
    { projectName: projectName!, count, ...window, ...optional(settings), recipients, ...retention },
    strict,
  );
  const { projectName: _, ...defaults } = SETTING_DEFAULTS;
  const days = expiryDays === undefined ? {} : { expiresInDays: expiryDays };
  return withDefaults(body, { neverExpire: false, ...defaults, ...days });
}
export type CreateProjectInput = Pick<SettingInputs, 'projectName'> &
  Partial<SettingInputs> &
  Window &
  RetentionInput & { count: number; recipients?: InvitationInput[] };

/** Adds each default to the schema of its field, as documentation: the gateway fills in the defaults. */
function withDefaults<T extends { properties: object }>(body: T, defaults: Record<string, unknown>): T {
  const properties = Object.entries(body.properties).map(([name, schema]) => [
    name,
    name in defaults ? { ...schema, default: defaults[name] } : schema,
  ]);
  return { ...body, properties: Object.fromEntries(properties) };
}

/** The body of PATCH /api/projects/<projectId>. */
export function updateProjectBody(rule: AddressRule) {
  const { projectName, ...settings } = optional(settingRequests(rule, { patch: true }));
  const description = 'An absent field stays unchanged.';
  return Type.Object({ projectName: projectName!, ...window, ...settings, ...retention }, { ...strict, description });
}
export type UpdateProjectInput = Partial<SettingInputs> & Window & RetentionInput;

export const UpdateSubmissionBody = Type.Object(
  {
    selected: optionalFlag("The reviewer's selection."),
    reviewNote: Type.Optional(text(LIMITS.reviewNoteLength, 'The reviewer\'s note; "" clears it.')),
  },
  { ...strict, description: 'An absent field stays unchanged.' },
);
export type UpdateSubmissionInput = Static<typeof UpdateSubmissionBody>;

export const moment = (description: string, hint?: string) =>
  Type.Optional(Type.String({ ...momentText(description), ...(hint !== undefined && { 'x-hint': hint }) }));

export const RedeliverBody = Type.Object(
  {
    from: moment('Events from this time on. Absent: from the first one.'),
    to: moment('Events before this time. Absent: to the last one.'),
    undeliveredOnly: Type.Optional(Type.Boolean({ default: false, description: 'Omit events that were delivered.' })),
  },
  { ...strict, description: 'Selects events of the project; {} selects all.' },
);
export type RedeliverInput = Static<typeof RedeliverBody>;

export const TestWebhookBody = Type.Unsafe<{ type?: WebhookEventType } | null>({
  type: ['object', 'null'],
  properties: {
    type: {
      type: 'string',
      enum: [...WEBHOOK_EVENTS],
      default: TEST_EVENT,
      description: 'The type of the test event, whose content is made up.',
    },
  },
  additionalProperties: false,
  description: 'Optional.',
});
export type TestWebhookInput = Static<typeof TestWebhookBody>;

export const BeginResponseBody = Type.Object(
  {
    responseSessionId: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'A UUID that you choose and the device stores. Use the id of the answer from then on. Absent: the service makes one.',
      }),
    ),
    termsAccepted: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the contributor accepted the terms.' }),
    ),
    reference: Type.Optional(
      Type.String({
        maxLength: LIMITS.recipientTextLength,
        pattern: REFERENCE_PATTERN,
        description:
          'The reference of the contributor, as ?ref=… of the address states it. Kept for a new response of a shared link, if the project has acceptReference; otherwise ignored.',
        'x-constraint': `must have at most ${LIMITS.recipientTextLength} characters, and no control characters`,
      }),
    ),
  },
  strict,
);
export type BeginResponseInput = Static<typeof BeginResponseBody>;

export const UpdateResponseBody = Type.Object(
  { note: text(LIMITS.noteLength, '"" clears it. Accepted but not delivered if the project has notes off.') },
  strict,
);
export type UpdateResponseInput = Static<typeof UpdateResponseBody>;

const filter = {
  selected: Type.Optional(Type.Boolean({ description: 'Keep only submissions whose `selected` equals the value.' })),
  transcriptStatus: Type.Optional(
    Type.Unsafe<TranscriptStatusName>({
      type: 'string',
      enum: [...TRANSCRIPT_STATUSES],
      description: 'Keep only submissions in this transcript state.',
    }),
  ),
};
export const page = {
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
      description: '`pagination.nextCursor` of the previous page.',
      'x-constraint': 'must be the nextCursor of the page before',
    }),
  ),
};

/** The page size of lists whose rows are short: links and projects. */
const longPage = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.linkPageSize,
      default: DEFAULTS.linkPageSize,
      description: 'Page size.',
      'x-constraint': `must be a whole number from 1 to ${LIMITS.linkPageSize}`,
    }),
  ),
};

const csv = {
  bom: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      default: 0,
      description: '1 begins the file with a UTF-8 byte order mark, so that spreadsheets recognise the encoding.',
      'x-constraint': 'must be 1 or 0',
    }),
  ),
};
const identities = {
  identities: Type.Optional(
    Type.Unsafe<'all' | 'none'>({
      type: 'string',
      enum: ['all', 'none'],
      default: 'all',
      description:
        '`none` leaves out the people and the metadata of links: `recipient` is null and `metadata` is {} on submissions and links.',
    }),
  ),
};
/** Query of the dashboard's CSV export. */
export const CsvQuery = Type.Object(csv);
export type CsvInput = Static<typeof CsvQuery>;
/** Queries of the owner's exports. */
export const ExportJsonQuery = Type.Object(identities);
export const ExportCsvQuery = Type.Object({ ...csv, ...identities });
export const ExportQuery = Type.Object({ ...filter, ...identities });
export const ExportZipQuery = Type.Object({
  ...filter,
  ...identities,
  names: Type.Optional(
    Type.Unsafe<'number' | 'reference'>({
      type: 'string',
      enum: ['number', 'reference'],
      default: 'number',
      description:
        '`reference` begins the names of the video files with the `reference` of the person, without the letters that a file system refuses. Has no effect with `identities=none`.',
    }),
  ),
});
export type ExportFilter = Static<typeof ExportZipQuery>;
// A plus sign in a query means a space.
export const PLUS = 'in an address + is written %2B';
/** The filters of a list of submissions that an export does not have. */
const search = {
  q: Type.Optional(
    Type.String({
      maxLength: LIMITS.searchLength,
      description: `Words that must all occur in the transcript, the contributor's note, the review note or the question. Parts of words match; letter case and Unicode normal form do not matter; only the first eight words count.`,
    }),
  ),
  tokenId: Type.Optional(
    Type.String({ format: 'uuid', description: 'Keep only submissions that came through this link.' }),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.recipientTextLength,
      pattern: PLAIN,
      description: 'Keep only submissions whose `recipient.reference` equals the value.',
      'x-constraint': `must have 1 to ${LIMITS.recipientTextLength} characters, and no control characters but white space`,
    }),
  ),
  code: Type.Optional(
    Type.String({
      pattern: '^[0-9A-TV-Za-tv-z]{8}$',
      description:
        'Keep only submissions of the response with this completion code. Letter case does not matter; O counts as 0, I and L count as 1.',
      'x-constraint': 'must be a completion code of 8 letters and digits',
    }),
  ),
  responseSessionId: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Keep only submissions of the response with this `responseId`, in an interview or not.',
    }),
  ),
  mediaStatus: Type.Optional(
    Type.Unsafe<MediaStatusName>({
      type: 'string',
      enum: [...MEDIA_STATUSES],
      description: 'Keep only submissions with this `mediaStatus`.',
    }),
  ),
  createdAfter: moment('Keep only submissions whose `createdAt` is strictly after this time.', PLUS),
  createdBefore: moment('Keep only submissions whose `createdAt` is strictly before this time.', PLUS),
  changedAfter: moment(
    'Keep only submissions whose `changedAt` is strictly after this time: they landed or changed in any part.',
    PLUS,
  ),
};

export const SubmissionsQuery = Type.Object({
  ...page,
  ...filter,
  ...search,
  omit: Type.Optional(
    Type.Unsafe<'transcripts'>({
      type: 'string',
      enum: ['transcripts'],
      description: '`transcripts` makes `transcriptText` and `transcriptVtt` null, for a short answer.',
    }),
  ),
});
export type SubmissionsQueryInput = Static<typeof SubmissionsQuery>;
export const ProjectsQuery = Type.Object(
  {
    limit: longPage.limit,
    cursor: page.cursor,
    q: Type.Optional(
      Type.String({
        maxLength: LIMITS.searchLength,
        description:
          'Keep only projects whose name has all these words. Parts of words match; letter case and Unicode normal form do not matter; only the first eight words count.',
      }),
    ),
  },
  { description: 'Without any of them, the answer has all projects and no `pagination`.' },
);
export type ProjectsQueryInput = Static<typeof ProjectsQuery>;

export const DashboardLinksQuery = Type.Object({
  limit: longPage.limit,
  cursor: page.cursor,
  status: Type.Optional(
    Type.Unsafe<LinkStatusName>({
      type: 'string',
      enum: [...LINK_STATUSES],
      description: 'Keep only single-recipient links in this state.',
    }),
  ),
  complete: optionalFlag('Keep only single-recipient links whose response is complete (true), or is not (false).'),
});
export type DashboardLinksInput = Static<typeof DashboardLinksQuery>;
/**
 * The names of all filters. A dashboard's list refuses the filters that it does not support, and misspelled names of
 * filters.
 */
export const FILTER_NAMES: readonly string[] = [...Object.keys({ ...filter, ...search }), 'status', 'state'];
const FEED_TYPE = `(?:${FEED_EVENTS.map(type => type.replaceAll('.', '\\.')).join('|')})`;

export const EventsQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      description: '`nextCursor` of the previous page. Absent: from the oldest event that is kept, or from `since`.',
      'x-constraint': 'must be the nextCursor of an earlier page',
    }),
  ),
  since: moment('Begin with the events that the feed recorded from this time on. Not together with `after`.', PLUS),
  types: Type.Optional(
    Type.String({
      pattern: `^${FEED_TYPE}(?:,${FEED_TYPE})*$`,
      maxLength: 2_000,
      description: `Keep only events of these types, separated by commas: ${FEED_EVENTS.join(', ')}.`,
      examples: ['submission.completed,response.completed'],
      'x-constraint': `must be one or more of ${FEED_EVENTS.join(', ')}, separated by commas`,
    }),
  ),
  projectId: Type.Optional(Type.String({ format: 'uuid', description: 'Keep only events of this project.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.eventsPageSize,
      default: DEFAULTS.eventsPageSize,
      description: 'Page size. A page with large events has fewer.',
      'x-constraint': `must be a whole number from 1 to ${LIMITS.eventsPageSize}`,
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.eventsWaitSec,
      default: 0,
      description: 'How many seconds to wait for an event if there is none.',
      'x-constraint': `must be a whole number from 0 to ${LIMITS.eventsWaitSec}`,
    }),
  ),
});
export type EventsQueryInput = Static<typeof EventsQuery>;

export const PageQuery = Type.Object(page);
export type PageQueryInput = Static<typeof PageQuery>;

const id = (description: string) => Type.String({ format: 'uuid', description });
const params = <T extends Record<string, TSchema>>(fields: T) => Type.Object(fields);

export const ProjectParams = params({ projectId: id('The project.') });
export const SubmissionParams = params({ projectId: id('The project.'), submissionId: id('The submission.') });
export const LinkParams = params({ projectId: id('The project.'), tokenId: id('The link.') });
export const DeliveryParams = params({ projectId: id('The project.'), deliveryId: id('The delivery.') });

// The gateway checks a dashboard token before validation, so the schema does not check its form.
const projectToken = Type.String({ description: 'The private dashboard token, prefix prj_.' });
export const DashboardParams = params({ projectToken });
export const DashboardSubmissionParams = params({ projectToken, submissionId: id('The submission.') });

const token = Type.String({ description: 'The recipient token, prefix vr_.' });
export const RecipientParams = params({ token });
/** Also a browser's page sends it, so unknown names are refused here, not by the rule of owners' routes. */
export const ScriptQuery = Type.Object(
  {
    responseSessionId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The response whose script to return. Absent: that with which a response begins now.',
      }),
    ),
  },
  strict,
);
export type ScriptInput = Static<typeof ScriptQuery>;
export const ResponseParams = params({ token, responseSessionId: id('The response.') });
