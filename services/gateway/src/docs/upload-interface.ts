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
  'Try again after Retry-After, from the offset that HEAD returns. Too many uploads are running, the gateway is overloaded, a body ended before its length (`upload_incomplete`; after a creation, HEAD of its Location returns the offset, and 404 means that it must be created again), or a part of the service does not answer.',
  'Too many uploads are running; try again in a moment.',
);
const TOO_MANY = error(
  'Too many requests; Retry-After says how long to wait.',
  'Too many requests; wait 12 s before the next one.',
);
const ENDED = error(
  'Permanent: the link is used, expired or disabled, or this answer was sent already. Keep the take for the contributor.',
  'This recording link has expired.',
);
const CLAIMED = error(
  'Temporary: every use of the link is claimed but not all have landed, or this answer is being sent already. Try again later.',
  'Every use of this link is taken at the moment; try again later.',
);
const REFUSED = error(
  'The take was refused: it is no video, or longer than maxDurationSec allows. `errorCode` of the response gives the reason; record again.',
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
  'The id of the response, as POST …/responses returned it.',
  SESSION,
  'uuid',
);
const UPLOAD_ID = pathParameter('uploadId', 'The last segment of the Location that the creation returned.', UPLOAD);

const header = (name: string, description: string, example: string | number, required = false) => ({
  ...{ name, in: 'header', required, description, example },
  schema: typeof example === 'number' ? { type: 'integer', minimum: 0 } : { type: 'string' },
});
const RESUMABLE = header('Tus-Resumable', 'The version of tus.', TUS, true);
const METADATA = header(
  'Upload-Metadata',
  'Pairs of a key and a base64 value, separated by commas: `responseSessionId` (required; the one that POST …/responses returned), `filetype` (any media type; only a hint, because the bytes decide), `questionIndex` (in interviews), `note`, `answerMode` (how the contributor answers: video, audio or file; required unless the project allows both video and file), `signed` (true if the contributor signs, so that silence is expected).',
  `responseSessionId ${Buffer.from(SESSION).toString('base64')},filetype dmlkZW8vd2VibQ==`,
  true,
);
const LENGTH = header(
  'Upload-Length',
  'The size of the whole take in bytes. Declaring it means sending: a take without a declared length is never delivered.',
  6_291_456,
);
const DEFER = header(
  'Upload-Defer-Length',
  '`1` instead of Upload-Length while the length is unknown: the take is not sent yet.',
  '1',
);

const said = (description: string, type = 'string') => ({ description, schema: { type } });
const OFFSET = {
  'Upload-Offset': said('The number of stored bytes.', 'integer'),
  'Tus-Resumable': said('The version of tus.'),
};
const LASTS = { 'Upload-Expires': said('When the upload expires if no more bytes arrive.') };
const bytes = { 'application/offset+octet-stream': { schema: { type: 'string', format: 'binary' } } };

const LANDED = {
  description:
    'The last byte has arrived. 200: the clip is a submission now. 202: the clip lands by itself; poll the response until it has the `submissionId`.',
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
  completionCode: null,
  returnUrl: null,
  hasScript: false,
  answerModes: ['video', 'file'],
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
  completionCode: '7K3F9QXA',
  returnUrl: 'https://shop.example/thanks?order=P-17&code=7K3F9QXA',
};

const operation = (operationId: string, summary: string, description: string, rest: object) => ({
  ...{ operationId, tags: ['uploads'], summary, description, security: [] },
  ...rest,
});

export const UPLOAD_PATHS = {
  '/r/{token}/opened': {
    post: operation(
      'openLink',
      'Report that the page was opened',
      'Sets `openedAt` of the link. Send it at the first touch or key, not when a page loads, because previews load pages too.',
      {
        parameters: [TOKEN],
        responses: { 204: { description: 'Recorded.' }, 404: UNKNOWN, 429: TOO_MANY, 503: BUSY },
      },
    ),
  },
  '/r/{token}/script': {
    get: operation(
      'getScript',
      'The text to read while recording',
      'The `script` of the project. It is not in the page. Claims no use of the link. With `responseSessionId`, returns the script with which that response began.',
      {
        parameters: [
          TOKEN,
          {
            ...{ name: 'responseSessionId', in: 'query', required: false },
            description: 'The response whose script to return. Absent: that with which a response begins now.',
            schema: { type: 'string', format: 'uuid' },
          },
        ],
        responses: {
          200: {
            description: 'The text. Lines that begin with `- ` are bullet points.',
            content: {
              'text/plain': { schema: { type: 'string' }, example: '- Your first visit\n- Your favourite bread' },
            },
          },
          400: invalid('responseSessionId must be a UUID.'),
          404: error('There is no such link or response, or it has no script.', 'This recording link has no script.'),
          410: ENDED,
          429: TOO_MANY,
          503: BUSY,
        },
      },
    ),
  },
  '/r/{token}/responses': {
    post: operation(
      'beginResponse',
      'Begin a response',
      'Claims one use of the link, or joins the response that was begun with it. Choose a UUID as `responseSessionId` and store it on the device: the same id returns the same response again. From then on, use the `responseSessionId` of the answer: a personal link has one response. If that was begun already, on this device or another, the answer has the id of the first session, and yours is unknown. If the project requires terms, only this request can accept them.',
      {
        parameters: [TOKEN],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: BeginResponseBody,
              example: { responseSessionId: SESSION, termsAccepted: true, reference: 'P-17' },
            },
          },
        },
        responses: {
          201: response('The current response. Use its `responseSessionId`, whatever the request named.', begun),
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
      'The state of a response',
      'For a client that resumes, or that missed the answer to its last byte.',
      {
        parameters: [TOKEN, SESSION_ID],
        responses: {
          200: response('The current response.', landed),
          400: invalid('responseSessionId must be a UUID.'),
          404: UNKNOWN,
          429: TOO_MANY,
          503: BUSY,
        },
      },
    ),
    patch: operation('updateResponse', 'Write the note', 'Possible until the clip has landed.', {
      parameters: [TOKEN, SESSION_ID],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: UpdateResponseBody, example: { note: 'I come every Saturday' } } },
      },
      responses: {
        200: response('The current response.', begun),
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
      'tus 1.0 with the extensions creation, creation-with-upload, creation-defer-length, termination and expiration. The request may include bytes, as application/offset+octet-stream.',
      {
        parameters: [TOKEN, RESUMABLE, METADATA, LENGTH, DEFER],
        requestBody: { required: false, content: bytes },
        responses: {
          201: {
            description: 'Created; Location is its address.',
            headers: { ...OFFSET, ...LASTS, Location: said('The address for the bytes, relative to this host.') },
          },
          200: DONE,
          202: FINISHING,
          400: invalid('Upload-Metadata must carry responseSessionId, the uuid that POST …/responses gave.'),
          404: UNKNOWN,
          409: CLAIMED,
          410: ENDED,
          413: error(
            'The upload is larger than allowed (Tus-Max-Size of OPTIONS).',
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
      'The offset of an upload',
      'Send it before resuming, and after each missed answer. The answer does not repeat Upload-Metadata: clients have it, and a note may be longer than the headers that proxies accept.',
      {
        parameters: [TOKEN, UPLOAD_ID, RESUMABLE],
        responses: {
          200: {
            description: 'The current offset.',
            headers: { ...OFFSET, ...LASTS, 'Upload-Length': said('The declared length, if there is one.', 'integer') },
          },
          404: { description: 'There is no such upload.' },
          410: { description: 'The upload was superseded: the answer was sent already.' },
          422: { description: 'The take was refused.' },
          503: { description: 'Try again after Retry-After.' },
        },
      },
    ),
    patch: operation(
      'appendToUpload',
      'Send bytes',
      'Appends bytes at Upload-Offset. Upload-Length, even without a byte, declares a deferred length, and so sends the take. The same length may be declared again.',
      {
        parameters: [
          TOKEN,
          UPLOAD_ID,
          RESUMABLE,
          header('Upload-Offset', 'The offset of these bytes, as HEAD returns it.', 0, true),
          LENGTH,
        ],
        requestBody: { required: true, content: bytes },
        responses: {
          204: { description: 'The bytes are stored; more are expected.', headers: { ...OFFSET, ...LASTS } },
          200: DONE,
          202: FINISHING,
          400: invalid('Upload-Offset must be a whole number from 0: how many bytes are here already, as HEAD tells.'),
          404: UNKNOWN,
          409: error(
            'The offset differs from the stored one: send HEAD and continue at its offset.',
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
    delete: operation(
      'deleteUpload',
      'Delete an upload',
      'Possible until it was sent. The use of the link stays claimed.',
      {
        parameters: [TOKEN, UPLOAD_ID, RESUMABLE],
        responses: {
          204: { description: 'Deleted.' },
          412: error('The version of tus is not supported.', 'Send the header Tus-Resumable: 1.0.0.'),
          404: UNKNOWN,
          410: ENDED,
          503: BUSY,
        },
      },
    ),
  },
};
