import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { dieWithParent } from '@recording-request/stack/child-process';

/** One request with a large body, sent or received. */
export interface Transfer {
  url: string;
  method?: string;
  headers?: Readonly<Record<string, string>>;
  upload?: string;
  /** The file for the answer's body, which is discarded by default. */
  output?: string;
}

export interface Transferred {
  status: number;
  bytesIn: number;
  bytesOut: number;
  /** From the start of the request to the end of the answer. */
  seconds: number;
}

const LIMIT_SECONDS = 120;
const WRITE_OUT = '%{http_code} %{size_download} %{size_upload} %{time_total}\\n';

/**
 * Sends the requests one after the other from one curl process, which keeps the connection. curl uses little CPU compared with a
 * server. Rejects unless every answer has one of the statuses `wanted`.
 */
export async function curl(
  requests: readonly Transfer[],
  { signal, wanted = [200] }: { signal: AbortSignal; wanted?: readonly number[] },
): Promise<Transferred[]> {
  const [command, args] = dieWithParent('curl', ['--config', '-']);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' });
  // URLs and tokens go through stdin, so that the list of processes does not show them.
  child.stdin.on('error', () => {});
  child.stdin.end(requests.map(configurationOf).join('\nnext\n'));
  const [out, messages, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`curl ended with ${code}: ${messages.slice(-500)}`);
  const answers = out.trim().split('\n').map(transferredOf);
  const other = answers.find(({ status }) => !wanted.includes(status));
  if (answers.length !== requests.length || other)
    throw new Error(`expected ${requests.length} answers of ${wanted.join(' or ')}, got ${out.trim().slice(0, 500)}`);
  return answers;
}

function configurationOf({ url, method, headers = {}, upload, output = '/dev/null' }: Transfer): string {
  const options: [string, string][] = [
    ['url', url],
    ['output', output],
    ['write-out', WRITE_OUT],
    ['max-time', String(LIMIT_SECONDS)],
    ...Object.entries(headers).map(([name, value]): [string, string] => ['header', `${name}: ${value}`]),
  ];
  // The empty header stops curl from waiting for a status of 100 before it sends the body.
  if (upload !== undefined) options.push(['upload-file', upload], ['header', 'Expect:']);
  if (method !== undefined) options.push(['request', method]);
  return [
    'silent',
    'show-error',
    ...options.map(([name, value]) => `${name} = "${name === 'write-out' ? value : escaped(value)}"`),
  ].join('\n');
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');

function transferredOf(line: string): Transferred {
  const [status, bytesIn, bytesOut, seconds] = line.split(' ').map(Number);
  return { status: status!, bytesIn: bytesIn!, bytesOut: bytesOut!, seconds: seconds! };
}
