/** The contributor's half of openapi.json. Its routes use tus 1.0, which no schema of a body or an answer can describe. */
import { LIMITS } from '@recording-request/contract/limits';
import { BeginResponseBody, UpdateResponseBody } from '@recording-request/contract/requests';
import { bodyLimitSentence } from '../plugins/errors.ts';

const SESSION = '0f8b2c6e-3d51-4a77-9a55-1c2f6b7d8e90';
const UPLOAD = '019a3f1b-9a00-7c3e-b1a7-6a2f40c9d202';
const SUBMISSION = '019a3f1b-9be4-7d3e-b1a7-6a2f40c9d202';
const TUS = '1.0.0';
const LARGEST_BODY = 1_048_576;

const response = (description: string, example?: object) => ({
  description,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/ContributorResponse' },
      ...(example && { example }),
    },
  },
});
const error = (description: string, sentence: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: { error: sentence } } },
});

const UNKNOWN = error('There is no such link, response or upload.', 'There is no such recording link.');
const BUSY = error(
  'Try again after Retry-After, from the offset that HEAD tells: as many uploads run as may, the gateway has more work than it can do in time, a body stopped short of its length (`upload_incomplete`; to a creation with Location, where HEAD tells the offset: 404 means create it again), or a part of the service is not answering.',
  'Too many uploads are running; try again in a moment.',
);
const TOO_MANY = error(
  'Too many requests; Retry-After says how long to wait.',
  'Too many requests; wait 12 s before the next one.',
);
const ENDED = error(
  'For good: the link is used, expired or disabled, or this answer was sent already. Keep the take for its maker.',
  'This recording link has expired.',
);
const CLAIMED = error(
  'Not now: every use of the link is claimed but not all have landed, or this answer is being sent already. Try again later.',
  'Every use of this link is taken at the moment; try again later.',
);
const REFUSED = error(
  'The take was refused: no video, or longer than maxDurationSec allows. `errorCode` of the response says which; record again.',
  'The clip is longer than 120 s.',
);
const invalid = (sentence: string) => error('A value is not valid; the sentence names it.', sentence);

const pathParameter = (name: string, description: string, example: string, format?: string) => ({
  ...{ name, in: 'path', required: true, description, example },
  schema: { type: 'string', ...(format && { format }) },
});
const TOKEN = pathParameter('token', 'The recipient token, prefix vr_.', 'vr_0000000000000000000000000000000EXAMPLE');
const SESSION_ID = pathParameter(
  'responseSessionId',
  'The response, by the id that POST …/responses answered.',
  SESSION,
  'uuid',
);
const UPLOAD_ID = pathParameter('uploadId', 'The last segment of the Location that the creation answered.', UPLOAD);

const header = (name: string, description: string, example: string | number, required = false) => ({
  ...{ name, in: 'header', required, description, example },
  schema: typeof example === 'number' ? { type: 'integer', minimum: 0 } : { type: 'string' },
});
const RESUMABLE = header('Tus-Resumable', 'The version of tus.', TUS, true);
const METADATA = header(
  'Upload-Metadata',
  'Pairs of a key and a base64 value, parted by commas: `responseSessionId` (required; the one that POST …/responses answered), `filetype` (any media type; a hint, as the bytes decide), `questionIndex` (in interviews), `note`.',
  `responseSessionId ${Buffer.from(SESSION).toString('base64')},filetype dmlkZW8vd2VibQ==`,
  true,
);
const LENGTH = header(
  'Upload-Length',
  'Bytes of the whole take. **To declare it is to send**: what is never declared is never delivered.',
  6_291_456,
);
const DEFER = header(
  'Upload-Defer-Length',
  '`1` in place of Upload-Length, while the length is not known: not sent yet.',
  '1',
);

const said = (description: string, type = 'string') => ({ description, schema: { type } });
const OFFSET = {
  'Upload-Offset': said('Bytes that are stored.', 'integer'),
  'Tus-Resumable': said('The version of tus.'),
};
const LASTS = { 'Upload-Expires': said('Until when the upload is kept without another byte.') };
const bytes = { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } };

const LANDED = {
  description:
    'That was the last byte: 200, the clip is a submission now; 202, every byte is here and it lands by itself: ask the response until its `submissionId` is there.',
};
const landing = (example: object, properties: object) => ({
  ...LANDED,
  headers: { ...OFFSET },
  content: {
    'application/json': { schema: { type: 'object', properties, required: Object.keys(properties) }, example },
  },
});
const nullable = (type: string, format?: string) => ({ type: [type, 'null'], ...(format && { format }) });
const DONE = landing(
  { submissionId: SUBMISSION, responseSessionId: SESSION, questionIndex: null, complete: true, thankYouUrl: null },
  {
    submissionId: { type: 'string', format: 'uuid' },
    responseSessionId: { type: 'string', format: 'uuid' },
    questionIndex: nullable('integer'),
    complete: { type: 'boolean' },
    thankYouUrl: nullable('string', 'uri'),
  },
);
const FINISHING = landing(
  { state: 'finishing' },
  {
    state: { type: 'string', 'x-extensible-enum': ['finishing'], description: 'finishing; more may be added.' },
  },
);

const begun = {
  responseSessionId: SESSION,
  maxDurationSec: 120,
  questions: [],
  answers: [{ questionIndex: null, submissionId: null, uploads: [] }],
  complete: false,
  thankYouUrl: null,
};
const landed = {
  ...begun,
  answers: [
    {
      questionIndex: null,
      submissionId: SUBMISSION,
      uploads: [{ uploadId: UPLOAD, state: 'landed', incomplete: false, error: null, errorCode: null }],
    },
  ],
  complete: true,
};

const operation = (operationId: string, summary: string, description: string, rest: object) => ({
  ...{ operationId, tags: ['uploads'], summary, description, security: [] },
  ...rest,
});

export const UPLOAD_PATHS = {
  '/r/{token}/opened': {
    post: operation(
      'openLink',
      'Tell that the page was opened',
      'Sets `openedAt` of the link. Send it at the first touch or key, not when a page loads: previews load pages.',
      {
        parameters: [TOKEN],
        responses: { 204: { description: 'Noted.' }, 404: UNKNOWN, 429: TOO_MANY, 503: BUSY },
      },
    ),
  },
  '/r/{token}/responses': {
    post: operation(
      'beginResponse',
      'Begin a response',
      'Claims one use of the link, or joins the response that was begun with it. The same `responseSessionId`, a UUID of your own that the device keeps, gives the same response again. Use the `responseSessionId` of the answer from then on: a personal link has one response, so that on one that was begun already, on this device or another, the answer has the id of the first session, and yours is unknown. Where the project requires terms this is the only place where they are accepted.',
      {
        parameters: [TOKEN],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: BeginResponseBody,
              example: { responseSessionId: SESSION, termsAccepted: true },
            },
          },
        },
        responses: {
          201: response(
            'The response, as it is. Its `responseSessionId` is the one to use, whatever the request named.',
            begun,
          ),
          400: error(
            'A value is not valid, or the terms were not accepted (`terms_required`).',
            'termsAccepted must be true: this project requires its terms.',
          ),
          404: UNKNOWN,
          409: CLAIMED,
          410: ENDED,
          413: error('The body is too large; the sentence names the limit.', bodyLimitSentence(LARGEST_BODY)),
          415: error('The body is not JSON.', 'Send the body as application/json.'),
          429: TOO_MANY,
          503: BUSY,
        },
      },
    ),
  },
  '/r/{token}/responses/{responseSessionId}': {
    get: operation(
      'getResponse',
      'What became of a response',
      'For a client that missed the answer to its last byte, or resumes.',
      {
        parameters: [TOKEN, SESSION_ID],
        responses: {
          200: response('The response, as it is.', landed),
          400: invalid('responseSessionId must be a UUID.'),
          404: UNKNOWN,
          429: TOO_MANY,
          503: BUSY,
        },
      },
    ),
    patch: operation('updateResponse', 'Write the note', 'Until the clip has landed.', {
      parameters: [TOKEN, SESSION_ID],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: UpdateResponseBody, example: { note: 'I come every Saturday' } } },
      },
      responses: {
        200: response('The response, as it is.', begun),
        400: error(
          `The note has more than ${LIMITS.noteLength} characters.`,
          `note must have at most ${LIMITS.noteLength} characters.`,
        ),
        404: UNKNOWN,
        410: error('The clip has landed already.', 'This answer was sent already, from this device or another.'),
        413: error('The body is too large; the sentence names the limit.', bodyLimitSentence(LARGEST_BODY)),
        415: error('The body is not JSON.', 'Send the body as application/json.'),
        429: TOO_MANY,
        503: BUSY,
      },
    }),
  },
  '/r/{token}/uploads': {
    post: operation(
      'createUpload',
      'Create an upload',
      'tus 1.0: creation, creation-with-upload, creation-defer-length, termination, expiration. Bytes may come with it, as application/offset+octet-stream.',
      {
        parameters: [TOKEN, RESUMABLE, METADATA, LENGTH, DEFER],
        requestBody: { required: false, content: bytes },
        responses: {
          201: {
            description: 'Created; Location is its address.',
            headers: { ...OFFSET, ...LASTS, Location: said('Where the bytes go, relative to this host.') },
          },
          200: DONE,
          202: FINISHING,
          400: invalid('Upload-Metadata must carry responseSessionId, the uuid that POST …/responses gave.'),
          404: UNKNOWN,
          409: CLAIMED,
          410: ENDED,
          413: error(
            'Longer than an upload may be (Tus-Max-Size of OPTIONS).',
            'Upload-Length must be at most 2147483648: an upload may have no more bytes.',
          ),
          422: REFUSED,
          503: BUSY,
        },
      },
    ),
  },
  '/r/{token}/uploads/{uploadId}': {
    head: operation(
      'getUploadOffset',
      'How far an upload is',
      'Before resuming, and after each answer that was missed. Upload-Metadata is not repeated, as clients have it and a note may be longer than what proxies take of an answer’s headers.',
      {
        parameters: [TOKEN, UPLOAD_ID, RESUMABLE],
        responses: {
          200: {
            description: 'How far it is.',
            headers: { ...OFFSET, ...LASTS, 'Upload-Length': said('The declared length, if there is one.', 'integer') },
          },
          404: { description: 'There is no such upload.' },
          410: { description: 'It was superseded: the answer was sent already.' },
          422: { description: 'The take was refused.' },
          503: { description: 'Try again after Retry-After.' },
        },
      },
    ),
    patch: operation(
      'appendToUpload',
      'Send bytes',
      'From Upload-Offset on. With Upload-Length, also without a byte, a deferred length is declared: that is sending. A length equal to the declared one is taken again.',
      {
        parameters: [
          TOKEN,
          UPLOAD_ID,
          RESUMABLE,
          header('Upload-Offset', 'Where these bytes begin: what HEAD tells.', 0, true),
          LENGTH,
        ],
        requestBody: { required: true, content: bytes },
        responses: {
          204: { description: 'Stored; more is awaited.', headers: { ...OFFSET, ...LASTS } },
          200: DONE,
          202: FINISHING,
          400: invalid('Upload-Offset must be a whole number from 0: how many bytes are here already, as HEAD tells.'),
          404: UNKNOWN,
          409: error(
            'Another offset than what is stored: ask HEAD, go on from there.',
            'Upload-Offset is not where this upload stands: ask with HEAD, and go on from there.',
          ),
          410: ENDED,
          422: REFUSED,
          423: error(
            'Another request is writing to this upload; try again in a moment.',
            'Another request is writing to this upload; try again in a moment.',
          ),
          503: BUSY,
        },
      },
    ),
    delete: operation('deleteUpload', 'Take an upload back', 'Before it was sent: the use of the link stays claimed.', {
      parameters: [TOKEN, UPLOAD_ID, RESUMABLE],
      responses: {
        204: { description: 'Deleted.' },
        412: error('Another version of tus.', 'Send the header Tus-Resumable: 1.0.0.'),
        404: UNKNOWN,
        410: ENDED,
        503: BUSY,
      },
    }),
  },
};
