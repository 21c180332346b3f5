/**
 * Makes the calls of an operation in curl, TypeScript and Python. They are generated from the operation's description,
 * so they always match it.
 */

export interface Sampled {
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
  method: string;
  path: string;
  /** The first example of the operation's query, including the `?`. */
  query: string;
  headers: [name: string, value: string][];
  withToken: boolean;
  /** A JSON body; `bytes` for the body of a file. */
  body: unknown;
  bytes: boolean;
  isJson: boolean;
}

export function samplesOf(operation: Sampled): Samples {
  const call = callOf(operation);
  return { curl: curl(call), typescript: typescript(call), python: python(call) };
}

function callOf({ method, path, security = [], parameters = [], requestBody, responses }: Sampled): Call {
  const [[type, { example = undefined } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const shown = parameters.find(each => each.in === 'query' && each.example !== undefined);
  const bytes = type !== undefined && type !== 'application/json';
  const headers = parameters
    .filter(each => each.in === 'header' && each.required)
    .map(({ name, example: value }): [string, string] => [name, String(value)]);
  if (type !== undefined) headers.push(['Content-Type', type]);
  const [success = {}] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, answer]) => answer);
  return {
    ...{ method, path, headers, bytes },
    query: shown ? `?${shown.name}=${encodeURIComponent(String(shown.example))}` : '',
    withToken: security.length > 0,
    body: example,
    isJson: 'application/json' in (success.content ?? {}),
  };
}

const PLACES = /\{(\w+)\}/g;

function curl({ method, path, query, headers, withToken, body, bytes, isJson }: Call): string {
  const lines = [`curl -sS --fail-with-body${verb(method)} "$BASE${path.replace(PLACES, '$$$1')}${query}"`];
  if (withToken) lines.push('-H "Authorization: Bearer $TOKEN"');
  for (const [name, value] of headers) lines.push(`-H '${name}: ${value}'`);
  if (bytes) lines.push('--data-binary @clip.webm');
  else if (body !== undefined) lines.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`);
  else if (!isJson && method === 'GET') lines.push('-OJ');
  return lines.join(' \\\n  ');
}

function verb(method: string): string {
  if (method === 'GET') return '';
  return method === 'HEAD' ? ' --head' : ` -X ${method}`;
}

function typescript({ method, path, query, headers, withToken, body, bytes, isJson }: Call): string {
  const sent = [
    // The escape prevents this file's own template string from using the dollar.
    ...(withToken ? ['authorization: `Bearer \u0024{TOKEN}`'] : []),
    ...headers.map(([name, value]) => `'${name.toLowerCase()}': '${value}'`),
  ];
  const init = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(sent.length > 0 ? [`headers: { ${sent.join(', ')} },`] : []),
    ...(bytes ? ["body: await readFile('clip.webm'),"] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ];
  const address = `\`\${BASE}${path.replace(PLACES, '$${$1}')}${query}\``;
  const lines = [
    init.length > 0
      ? `const answer = await fetch(${address}, {\n  ${init.join('\n  ')}\n});`
      : `const answer = await fetch(${address});`,
    "if (!answer.ok) throw new Error(answer.status + ' ' + answer.headers.get('error-code'));",
  ];
  if (isJson) lines.push('const result = await answer.json();');
  else if (method === 'GET') lines.push('const bytes = await answer.arrayBuffer();');
  return lines.join('\n');
}

function python({ method, path, query, headers, withToken, body, bytes, isJson }: Call): string {
  const sent = [
    ...(withToken ? ['"Authorization": f"Bearer {TOKEN}"'] : []),
    ...headers
      .filter(([name]) => bytes || name !== 'Content-Type')
      .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ];
  const options = [
    `f"{BASE}${path}${query}",`,
    ...(sent.length > 0 ? [`headers={${sent.join(', ')}},`] : []),
    ...(bytes ? ['data=open("clip.webm", "rb"),'] : []),
    ...(body === undefined ? [] : [`json=${indented(literal(body))},`]),
    'timeout=60,',
  ];
  const lines = [
    `answer = requests.${method.toLowerCase()}(\n  ${options.join('\n  ')}\n)`,
    'answer.raise_for_status()',
  ];
  if (isJson) lines.push('result = answer.json()');
  return lines.join('\n');
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ');

/** Returns JSON in Python's notation. */
function literal(value: unknown, depth = 1): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const room = '  '.repeat(depth);
  const parts = Array.isArray(value)
    ? value.map(each => literal(each, depth + 1))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${literal(each, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return parts.length === 0
    ? open + close
    : `${open}\n${room}${parts.join(`,\n${room}`)},\n${'  '.repeat(depth - 1)}${close}`;
}
