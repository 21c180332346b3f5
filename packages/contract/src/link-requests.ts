/** Schemas of the requests about recording links. */
import Type, { type Static } from 'typebox';
import { dueAtInput, invitationInput, metadataInput, personInput, timeFactorInput } from './invitation.ts';
import { DEFAULTS, LIMITS } from './limits.ts';
import { plainText } from './request-fields.ts';
import { CsvQuery, moment, PLUS, page } from './requests.ts';
import { PERSON_STATES, type PersonStateName } from './resources/fields.ts';

const strict = { additionalProperties: false } as const;

/** The body of PATCH /api/projects/<projectId>/links/<tokenId>. */
export const UpdateLinkBody = Type.Object(
  {
    disabled: Type.Optional(
      Type.Boolean({ description: 'Whether new responses are refused. A response that has begun may finish.' }),
    ),
    remindersStopped: Type.Optional(
      Type.Boolean({
        description:
          'true: this link gets no reminders. false: it gets them again, except those whose time passed meanwhile; 400 if the person stopped them.',
      }),
    ),
    recipient: Type.Optional(personInput),
    metadata: Type.Optional(metadataInput),
    dueAt: Type.Optional(dueAtInput),
    timeFactor: Type.Optional(timeFactorInput),
  },
  {
    ...strict,
    description:
      'An absent field stays unchanged. `metadata` replaces all metadata; `dueAt` and `timeFactor` null remove it. `timeFactor` applies to responses that begin later.',
  },
);
export type UpdateLinkInput = Static<typeof UpdateLinkBody>;

export const LINK_ACTIONS = ['remind', 'disable', 'enable'] as const;
export type LinkActionName = (typeof LINK_ACTIONS)[number];

/** The body of POST /api/projects/<projectId>/link-actions. */
export const ActOnLinksBody = Type.Object(
  {
    action: Type.Unsafe<LinkActionName>({
      type: 'string',
      enum: [...LINK_ACTIONS],
      description:
        'remind: sends link.reminder_due, as `POST …/links/<tokenId>/remind`. disable and enable: as `disabled` of `PATCH …/links/<tokenId>`.',
    }),
    tokenIds: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: LIMITS.linkActions,
      description: 'The links. A repeated id counts once.',
      'x-constraint': `must have 1 to ${LIMITS.linkActions} entries, each a UUID`,
    }),
  },
  strict,
);
export type ActOnLinksInput = Static<typeof ActOnLinksBody>;

const ON_DUPLICATE = ['error', 'skip'] as const;
export type OnDuplicateName = (typeof ON_DUPLICATE)[number];
const onDuplicate = Type.Optional(
  Type.Unsafe<OnDuplicateName>({
    type: 'string',
    enum: [...ON_DUPLICATE],
    default: 'error',
    description:
      'A duplicate has the `reference` (or, without one, the `email`) of another link of the project or of an earlier row. error: a duplicate prevents the request. skip: creates the other links and lists the duplicates.',
  }),
);

/** The body of POST /api/projects/<projectId>/links. The gateway checks each link by itself, so that it can list all faults. */
export const AddLinksBody = Type.Object(
  {
    links: Type.Array(invitationInput, {
      minItems: 1,
      maxItems: LIMITS.count,
      description: 'One single-recipient link for each entry.',
    }),
    onDuplicate,
  },
  strict,
);
export type AddLinksInput = Static<typeof AddLinksBody>;
/** The same body, but its links may have any content. */
export const UncheckedLinksBody = Type.Object(
  { links: Type.Array(Type.Unknown(), { minItems: 1, maxItems: LIMITS.count }), onDuplicate },
  strict,
);

export const AddLinksQuery = Type.Object({
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Checks everything, and creates nothing.' })),
  onDuplicate: Type.Optional(
    Type.Unsafe<OnDuplicateName>({
      type: 'string',
      enum: [...ON_DUPLICATE],
      description: 'The same as in a JSON body, for a CSV file. The body’s value wins.',
    }),
  ),
});
export type AddLinksQueryInput = Static<typeof AddLinksQuery>;

const filter = {
  state: Type.Optional(
    Type.Unsafe<PersonStateName>({
      type: 'string',
      enum: [...PERSON_STATES],
      description: 'Keep only single-recipient links whose person is in this state.',
    }),
  ),
  reference: Type.Optional(
    Type.String({
      ...plainText(LIMITS.recipientTextLength, 'Keep only single-recipient links with exactly this reference.'),
      minLength: 1,
      'x-constraint': `must have 1 to ${LIMITS.recipientTextLength} characters, and no control characters`,
    }),
  ),
  changedAfter: moment('Keep only single-recipient links whose `changedAt` is strictly after this time.', PLUS),
};

export const LinksQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMITS.linkPageSize,
      default: DEFAULTS.linkPageSize,
      description:
        'Page size. A page with long texts has fewer. Without any parameter, the answer has all links and no pagination.',
      'x-constraint': `must be a whole number from 1 to ${LIMITS.linkPageSize}`,
    }),
  ),
  cursor: page.cursor,
  ...filter,
});
export type LinksInput = Static<typeof LinksQuery>;

export const LinksCsvQuery = Type.Object({ ...filter, ...CsvQuery.properties });
export type LinksCsvInput = Static<typeof LinksCsvQuery>;
export type LinkFilterInput = Pick<LinksInput, keyof typeof filter>;
