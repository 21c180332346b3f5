/**
 * Makes the calls of an operation in curl, TypeScript and Python from its description. TypeScript uses the client's method
 * for the operation.
 */
import { CLIENT_STATEMENTS } from './client-statements.ts';
import { readSample } from './read-sample.ts';

export interface Sampled {
  operationId: string;
  method: string;
  path: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}

export interface Samples {
  curl: string;
  typescript: string;
  python: string;
}

interface Call {
  operationId: string;
  method: string;
  path: string;
  /** The first example of the operation's query. */
  query: [name: string, value: unknown] | undefined;
  headers: [name: string, value: string][];
  withToken: boolean;
  /** A JSON body, or `undefined`; `bytes` is true if the body is the bytes of a file. */
  body: unknown;
  bytes: boolean;
  /** The name of the file in the body. */
  sentFile: string;
  isJson: boolean;
  /** The name of the file that the sample saves; undefined if it saves none. */
  file: string | undefined;
}

export function samplesOf(operation: Sampled): Samples {
  const call = callOf(operation);
  return { curl: curl(call), typescript: typescript(call), python: python(call) };
}

/** The ids in the paths of operations, and where a reader finds each. */
const IDS: Record<string, string> = {
  projectId: 'from createProject or listProjects',
  tokenId: 'a link, from listLinks',
  submissionId: 'a clip, from listSubmissions',
  noteId: 'a note, from getReview',
  deliveryId: 'from listWebhookDeliveries',
  projectToken: 'from createProject: the end of the dashboardUrl',
  token: 'the end of a recipientUrl',
  responseSessionId: 'from beginResponse',
  uploadId: 'from createUpload: the end of the Location',
};

/**
 * Returns the lines that come once before the samples of a language. `ids` has the values of some ids; every other id
 * becomes `...`.
 */
export function preludes(baseUrl: string, ids: Record<string, string> = {}): Samples {
  const of = (file: string, declared: (name: string, value: string, where: string) => string) =>
    [
      readSample(file).trimEnd().replaceAll('https://record.example', baseUrl),
      '',
      ...Object.entries(IDS).map(([name, where]) => declared(name, ids[name] ?? '...', where)),
    ].join('\n');
  return {
    curl: of('prelude.sh', (name, value, where) => `${name}=${value}   # ${where}`),
    typescript: of('prelude.ts', (name, value, where) => `const ${name} = '${value}'; // ${where}`),
    python: of('prelude.py', (name, value, where) => `${name} = "${value}"  # ${where}`),
  };
}

const SAVED = /\bsaveTo\(.*, '([\w.]+)'\)/;

/** The headers of an upload that a sample must compute from the file and from the response. */
const COMPUTED: Record<string, Pick<Samples, 'curl' | 'python'>> = {
  'Upload-Length': { curl: '$(wc -c < clip.webm)', python: 'str(os.path.getsize("clip.webm"))' },
  'Upload-Metadata': {
    curl: 'responseSessionId $(printf %s "$responseSessionId" | base64)',
    python: '"responseSessionId " + b64encode(responseSessionId.encode()).decode()',
  },
};

/** The file in the body of an operation, other than a clip. */
const SENT: Record<string, string> = { setLogo: 'logo.png' };

// The creation of an upload needs one of two optional headers; samples use Upload-Length.
const isShown = ({ operationId }: Sampled, { name, required }: { name: string; required?: boolean }): boolean =>
  required === true || (operationId === 'createUpload' && name === 'Upload-Length');

function callOf(operation: Sampled): Call {
  const { operationId, method, path, security = [], parameters = [], requestBody, responses } = operation;
  const [[type, { example = undefined } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const shown = parameters.find(each => each.in === 'query' && each.example !== undefined);
  const bytes = type !== undefined && type !== 'application/json';
  const headers = parameters
    .filter(each => each.in === 'header' && isShown(operation, each))
    .map(({ name, example: value }): [string, string] => [name, String(value)]);
  if (type !== undefined) headers.push(['Content-Type', type]);
  const [success = {}] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => answer);
  return {
    ...{ operationId, method, path, headers, bytes, sentFile: SENT[operationId] ?? 'clip.webm' },
    query: shown && [shown.name, shown.example],
    withToken: security.length > 0,
    body: example,
    isJson: 'application/json' in (success.content ?? {}),
    file: method === 'GET' ? SAVED.exec(CLIENT_STATEMENTS[operationId] ?? '')?.[1] : undefined,
  };
}

const PLACES = /\{(\w+)\}/g;

function curl({ method, path, query, headers, withToken, body, bytes, sentFile, file }: Call): string {
  // With --fail-with-body, the sentence of an error would become the file.
  const fail = file ? '-f' : '--fail-with-body';
  const lines = [`curl -sS ${fail}${verb(method)} "$BASE${path.replace(PLACES, '$$$1')}${search(query)}"`];
  if (withToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of headers)
    lines.push(name in COMPUTED ? `-H "${name}: ${COMPUTED[name]!.curl}"` : `-H '${name}: ${value}'`);
  if (bytes) lines.push(`--data-binary @${sentFile}`);
  else if (body !== undefined) lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  else if (file) lines.push(`-o ${file}`);
  return lines.join(' \\\n  ');
}

function verb(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? ' --head' : ` -X ${method}`;
}

function typescript({ operationId, query, body }: Call): string {
  const statement = CLIENT_STATEMENTS[operationId];
  if (!statement) throw new Error(`client-statements.ts has no statement for ${operationId}`);
  return statement
    .replace('$query', query ? `{ ${query[0]}: ${JAVASCRIPT.text(query[1])} }` : '')
    .replace('$body', () => literal(body, JAVASCRIPT))
    .replace(', )', ')');
}

function python({ method, path, query, headers, withToken, body, bytes, sentFile, isJson, file }: Call): string {
  const sent = [
    ...(withToken ? ['"Authorization": f"Bearer {TOKEN}"'] : []),
    ...headers
      .filter(([name]) => bytes || name !== 'Content-Type')
      .map(([name, value]) => `${JSON.stringify(name)}: ${COMPUTED[name]?.python ?? JSON.stringify(value)}`),
  ];
  const options = [
    `f"{BASE}${path}${search(query)}",`,
    ...(sent.length > 0 ? [`headers={${sent.join(', ')}},`] : []),
    ...(bytes ? [`data=open("${sentFile}", "rb"),`] : []),
    ...(body === undefined ? [] : [`json=${literal(body, PYTHON, 2)},`]),
    ...(file ? ['stream=True,'] : []),
    'timeout=60,',
  ];
  const lines = [`answer = requests.${method.toLowerCase()}(\n  ${options.join('\n  ')}\n)`, 'check(answer)'];
  if (file)
    lines.push(
      `with open("${file}", "wb") as file:`,
      '  for part in answer.iter_content(1_000_000):',
      '    file.write(part)',
    );
  else if (isJson) lines.push('result = answer.json()');
  else if (method === 'GET') lines.push('text = answer.text');
  return lines.join('\n');
}

const search = (query: Call['query']): string => (query ? `?${query[0]}=${encodeURIComponent(String(query[1]))}` : '');

/** A language's notation of JSON. */
interface Notation {
  /** Returns a text, a number, a truth value or null. */
  text(value: unknown): string;
  name(name: string): string;
}

const PYTHON: Notation = {
  text: value => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    return JSON.stringify(value);
  },
  name: name => JSON.stringify(name),
};
const JAVASCRIPT: Notation = {
  text: value =>
    typeof value === 'string'
      ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
      : String(value),
  name: name => (/^\w+$/.test(name) ? name : JAVASCRIPT.text(name)),
};

/** Returns JSON in the notation of a language. `depth` is the indentation of its last line. */
function literal(value: unknown, notation: Notation, depth = 0): string {
  if (typeof value !== 'object' || value === null) return notation.text(value);
  const parts = Array.isArray(value)
    ? value.map(each => literal(each, notation, depth + 2))
    : Object.entries(value).map(([name, each]) => `${notation.name(name)}: ${literal(each, notation, depth + 2)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const line = `\n${' '.repeat(depth)}`;
  return parts.length === 0 ? open + close : `${open}${parts.map(part => `${line}  ${part},`).join('')}${line}${close}`;
}
