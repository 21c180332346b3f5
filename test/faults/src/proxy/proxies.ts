import type { Replacement } from './frames.ts';
import { openProxy, type WireProxy } from './proxy.ts';

/** The servers that a process talks to, each through a proxy of its own. */
export const SERVERS = ['mongo', 'kafka', 's3', 'speech', 'telemetry'] as const;
export type ServerName = (typeof SERVERS)[number];

/** The wires of one process: to each server one proxy for each of its addresses. */
export interface Wires extends AsyncDisposable {
  to: Record<ServerName, WireProxy[]>;
  /** The variables by which the process is led over the wires. */
  env: Record<string, string>;
}

/** Opens proxies to the servers that `env` names (MONGO_URL, KAFKA_BROKERS, S3_ENDPOINT, SPEECH_BASE_URL, OTEL_EXPORTER_OTLP_ENDPOINT). */
export async function openWires(env: Record<string, string>): Promise<Wires> {
  await using opening = new AsyncDisposableStack();
  const wire = async (options: Parameters<typeof openProxy>[0]) => opening.use(await openProxy(options));
  const mongo = await mongoWires(env.MONGO_URL!, wire);
  const kafka = await kafkaWires(env.KAFKA_BROKERS!, wire);
  const http = async (address: string | undefined) => {
    if (!address) return { proxies: [], address: '' };
    const { host } = new URL(address);
    const proxy = await wire({ targets: () => [host] });
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

type Wire = (options: Parameters<typeof openProxy>[0]) => Promise<WireProxy>;

// A member of a replica set tells the addresses of all: each must become the proxy's, or drivers go past it.
async function mongoWires(url: string, wire: Wire): Promise<{ proxies: WireProxy[]; address: string }> {
  const hosts = /^mongodb:\/\/([^/]+)/.exec(url)![1]!.split(',');
  const replacements: Replacement[] = [];
  const proxies: WireProxy[] = [];
  for (const host of hosts) proxies.push(await wire({ targets: () => [host], framing: 'mongo', replacements }));
  let address = url;
  hosts.forEach((host, at) => {
    const own = `127.0.0.1:${proxies[at]!.port}`;
    replacements.push(sameLength(Buffer.from(host), Buffer.from(own)));
    address = address.replace(host, own);
  });
  return { proxies, address };
}

// A broker tells its address as a length, a host and four bytes of port.
async function kafkaWires(brokers: string, wire: Wire): Promise<{ proxies: WireProxy[]; address: string }> {
  const replacements: Replacement[] = [];
  const proxies: WireProxy[] = [];
  const own: string[] = [];
  for (const broker of brokers.split(',')) {
    const proxy = await wire({ targets: () => [broker], framing: 'kafka', replacements });
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
  if (from.length !== to.length) throw new Error(`${from} and ${to} must be of one length to stand for each other`);
  return [from, to];
}
