/** Describes headers, conditional requests and HEAD in openapi.json, from each operation's answers. */

interface Answer {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, unknown>;
}

export interface DescribedOperation {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: object[];
  responses?: Record<string, Answer>;
}

interface Document {
  paths?: Record<string, Record<string, DescribedOperation>>;
  components?: Record<string, unknown>;
}

const header = (description: string, example: string | number, type = 'string') => ({
  description,
  schema: { type },
  example,
});

const HEADERS = {
  'Request-Id': header(
    'Identifies this request for the operator; the id of its trace.',
    '4bf92f3577b34da6a3ce929d0e0e4736',
  ),
  'Error-Code': header(
    'A stable word for programs, such as scope_missing; new ones may be added. The list is in /api/docs.md.',
    'value_invalid',
  ),
  'Events-Oldest': header('A cursor that continues with the oldest event that is kept.', 'MS4xNzY0NDg5NjAwMDAwLlpXNWs'),
  'Retry-After': header('Seconds to wait before the request is sent again.', 2, 'integer'),
  RateLimit: header(
    'Remaining calls (r) and seconds until all are available again (t), by policy.',
    '"token";r=1199;t=60',
  ),
  'RateLimit-Policy': header('Allowed calls (q) in a window of some seconds (w).', '"token";q=1200;w=60'),
  'Idempotent-Replayed': header('`true` if this repeats the first answer to this Idempotency-Key.', 'true'),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  ETag: header(
    'Identifies these bytes, for If-None-Match and If-Range. For media it is their hex SHA-256, in quotes.',
    '"9f86d081884c7d659a2feaa0c55ad015"',
  ),
  'Accept-Ranges': header('Byte ranges are supported.', 'bytes'),
  'Content-Range': header(
    'The range of these bytes and the total size; `bytes */<size>` with 416.',
    'bytes 0-1023/6291456',
  ),
  'Content-Length': header('The size of this answer in bytes.', 6_291_456, 'integer'),
  'Content-Disposition': header(
    'The name of the file.',
    'attachment; filename="Customer stories - Link 3 - video.webm"',
  ),
} as const;
type HeaderName = keyof typeof HEADERS;

const REQUEST_HEADERS = {
  Range: 'One range or suffix of bytes, such as `bytes=0-1023` or `bytes=-500`: 206. Any other value gets the whole.',
  'If-Range': 'An ETag: the range applies only while the bytes still have it.',
  'If-None-Match': 'ETags that the client has: 304 if the answer has one of them.',
};

const ZIP = '(?:dashboardE|e)xport(?:Zip|Selected)';
const MEDIA = new RegExp(`^(?:(?:dashboardG|g)et(?:Video|Audio|Thumbnail\\w+)|${ZIP})$`);
const RANGED = new RegExp(`^(?:(?:dashboardG|g)et(?:Video|Audio)|${ZIP})$`);
const FILES = /^(?:dashboardE|e)xport|QrCode$|Transcript(?:Text|Vtt|Srt)$/;
/** The operations that take an Idempotency-Key. */
const REPEATABLE = /^(?:createProject|addLinks|remindLink|actOnLinks)$/;
const CONDITIONAL = /QrCode$|^dashboardGetOverview$|^get(?:OpenApi|Docs\w*|RecorderDocs)$/;

export const refTo = (name: HeaderName) => ({ $ref: `#/components/headers/${name.replaceAll('-', '')}` });

/** Adds the headers of every answer, and ranges, conditions and HEAD for media and archives. Changes the document in place. */
export function describeHeaders(document: Document): void {
  const named = Object.entries(HEADERS).map(([name, each]) => [name.replaceAll('-', ''), each]);
  document.components = { ...document.components, headers: Object.fromEntries(named) };
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods)) {
      const { operationId = '' } = operation;
      if (MEDIA.test(operationId)) describeRanges(operation);
      else if (isConditional(operation)) describeCondition(operation);
      for (const [status, answer] of Object.entries(operation.responses ?? {}))
        answer.headers = { ...answer.headers, ...headersOf(operation, status) };
    }
    const { get } = methods;
    if (get && RANGED.test(get.operationId ?? '')) methods.head = headOf(get);
  }
}

const isConditional = ({ operationId = '', responses = {} }: DescribedOperation): boolean =>
  CONDITIONAL.test(operationId) || '304' in responses;

function headersOf({ operationId = '', responses = {} }: DescribedOperation, status: string): Record<string, object> {
  const names: HeaderName[] = ['Request-Id'];
  const isError = Number(status) >= 400;
  if (isError) names.push('Error-Code');
  if (status === '401') names.push('WWW-Authenticate');
  if (status === '429' || status === '503') names.push('Retry-After');
  if ('429' in responses && (!isError || status === '429')) names.push('RateLimit', 'RateLimit-Policy');
  if (REPEATABLE.test(operationId) && status === '409') names.push('Retry-After');
  if (REPEATABLE.test(operationId) && status === '200') names.push('Idempotent-Replayed');
  if (status === '416') names.push('Content-Range');
  if (operationId === 'listEvents' && status === '410') names.push('Events-Oldest');
  if (['200', '206', '304'].includes(status)) {
    const isMedia = MEDIA.test(operationId);
    if (isMedia || isConditional({ operationId, responses })) names.push('ETag');
    if (isMedia) names.push('Accept-Ranges');
    if ((isMedia || FILES.test(operationId)) && status !== '304') names.push('Content-Disposition');
    if (isMedia && status !== '304') names.push('Content-Length');
    if (status === '206') names.push('Content-Range');
  }
  return Object.fromEntries(names.map(name => [name, refTo(name)]));
}

const parametersOf = (...names: (keyof typeof REQUEST_HEADERS)[]) =>
  names.map(name => ({
    name,
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: REQUEST_HEADERS[name],
  }));

const NOT_MODIFIED = { description: 'Nothing has changed: If-None-Match names the current ETag.' };

function describeCondition(operation: DescribedOperation): void {
  operation.parameters = [...(operation.parameters ?? []), ...parametersOf('If-None-Match')];
  operation.responses = { ...operation.responses, 304: { ...NOT_MODIFIED } };
}

function describeRanges(operation: DescribedOperation): void {
  const { parameters = [], responses = {} } = operation;
  operation.parameters = [...parameters, ...parametersOf('Range', 'If-Range', 'If-None-Match')];
  const part = { description: 'The requested range of bytes.', content: structuredClone(responses['200']?.content) };
  operation.responses = { ...responses, 206: part as Answer, 304: { ...NOT_MODIFIED } };
}

/** Returns the description of HEAD for a video, an audio or an archive: its headers state the size and the ETag. */
function headOf(get: DescribedOperation): DescribedOperation {
  const { operationId = '', summary = '', parameters = [], responses = {} } = get;
  const taken = (parameters as { name: string }[]).filter(({ name }) => name !== 'Range' && name !== 'If-Range');
  const answers = Object.entries(responses).filter(([status]) => status !== '206' && status !== '416');
  return {
    ...get,
    operationId: operationId.replace(/^(dashboard)?(?:get|export)/i, (_, dashboard) =>
      dashboard ? 'dashboardHead' : 'head',
    ),
    summary: `${summary}: its size, type and ETag`,
    description: 'Like GET, without the bytes.',
    parameters: taken,
    responses: Object.fromEntries(answers.map(([status, { content: _, ...answer }]) => [status, answer])),
  };
}
