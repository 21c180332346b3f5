import type { Replacement } from './frames.ts';
import { type FaultProxy, openProxy } from './proxy.ts';

/** The servers of a process; each has its own proxy. */
export const SERVERS = ['mongo', 'kafka', 's3', 'speech', 'telemetry'] as const;
export type ServerName = (typeof SERVERS)[number];

/** The proxies of one process: for each server, one per address. */
export interface Proxies extends AsyncDisposable {
  to: Record<ServerName, FaultProxy[]>;
  /** The variables that point the process at the proxies. */
  env: Record<string, string>;
}

/** Opens proxies to the servers that `env` names (MONGO_URL, KAFKA_BROKERS, S3_ENDPOINT, SPEECH_BASE_URL, OTEL_EXPORTER_OTLP_ENDPOINT). */
export async function openProxies(env: Record<string, string>): Promise<Proxies> {
  await using opening = new AsyncDisposableStack();
  const open = async (options: Parameters<typeof openProxy>[0]) => opening.use(await openProxy(options));
  const mongo = await mongoProxies(env.MONGO_URL!, open);
  const kafka = await kafkaProxies(env.KAFKA_BROKERS!, open);
  const http = async (address: string | undefined) => {
    if (!address) return { proxies: [], address: '' };
    const { host } = new URL(address);
    const proxy = await open({ targets: () => [host] });
    return { proxies: [proxy], address: address.replace(host, `127.0.0.1:${proxy.port}`) };
  };
  const s3 = await http(env.S3_ENDPOINT);
  const speech = await http(env.SPEECH_BASE_URL);
  const telemetry = await http(env.OTEL_EXPORTER_OTLP_ENDPOINT);
  const stack = opening.move();
  return {
    to: {
      mongo: mongo.proxies,
      kafka: kafka.proxies,
      s3: s3.proxies,
      speech: speech.proxies,
      telemetry: telemetry.proxies,
    },
    env: {
      MONGO_URL: mongo.address,
      KAFKA_BROKERS: kafka.address,
      S3_ENDPOINT: s3.address,
      SPEECH_BASE_URL: speech.address,
      ...(telemetry.address ? { OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.address } : {}),
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type OpenProxy = (options: Parameters<typeof openProxy>[0]) => Promise<FaultProxy>;

// A member of a replica set reports the addresses of all members. The proxies must replace these addresses with their
// own; otherwise, drivers bypass the proxies.
async function mongoProxies(url: string, open: OpenProxy): Promise<{ proxies: FaultProxy[]; address: string }> {
  const hosts = /^mongodb:\/\/([^/]+)/.exec(url)![1]!.split(',');
  const replacements: Replacement[] = [];
  const proxies: FaultProxy[] = [];
  for (const host of hosts) proxies.push(await open({ targets: () => [host], framing: 'mongo', replacements }));
  let address = url;
  hosts.forEach((host, at) => {
    const own = `127.0.0.1:${proxies[at]!.port}`;
    replacements.push(sameLength(Buffer.from(host), Buffer.from(own)));
    address = address.replace(host, own);
  });
  return { proxies, address };
}

// A broker sends its address as a length, a host and a four-byte port.
async function kafkaProxies(brokers: string, open: OpenProxy): Promise<{ proxies: FaultProxy[]; address: string }> {
  const replacements: Replacement[] = [];
  const proxies: FaultProxy[] = [];
  const own: string[] = [];
  for (const broker of brokers.split(',')) {
    const proxy = await open({ targets: () => [broker], framing: 'kafka', replacements });
    const [host, port] = broker.split(':') as [string, string];
    proxies.push(proxy);
    own.push(`127.0.0.1:${proxy.port}`);
    replacements.push(sameLength(kafkaAddress(host, Number(port)), kafkaAddress('127.0.0.1', proxy.port)));
  }
  return { proxies, address: own.join(',') };
}

function kafkaAddress(host: string, port: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(port);
  return Buffer.concat([Buffer.from(host), bytes]);
}

function sameLength(from: Buffer, to: Buffer): Replacement {
  if (from.length !== to.length) throw new Error(`${from} and ${to} must have the same length to replace each other`);
  return [from, to];
}
