import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';

/** Of the servers beside the cluster: those that the base's policies allow, and what the local overlay has for speech. */
export const SERVER_PORTS = { mongo: 27_017, kafka: 9_092, s3: 9_000, speech: 8_000 } as const;

const servers = [{ ipBlock: { cidr: `${NODE_ADDRESS}/32` } }];
const narrowed = (name: string, ports: number[]) => ({
  target: { kind: 'NetworkPolicy', name },
  patch: JSON.stringify([
    {
      op: 'replace',
      path: '/spec/egress',
      value: ports.length === 0 ? [] : [{ to: servers, ports: ports.map(port => ({ port })) }],
    },
  ]),
});
/** The ports in an address, or in a list of them. */
const portsOf = (addresses = ''): number[] =>
  [...addresses.matchAll(/:(\d+)(?=[,/]|$)/g)].map(([, port]) => Number(port));

/**
 * Patches that say where the servers are, as deploy/README.md has every overlay say it: the base allows their ports to anywhere. All other
 * policies are the base's own: names are asked for at the address of a node's DNS cache, and the owner's endpoint has an address outside.
 */
export function narrowedTo(serversEnv: Record<string, string>) {
  const mongo = portsOf(serversEnv.MONGO_URL);
  const kafka = portsOf(serversEnv.KAFKA_BROKERS);
  const s3 = portsOf(serversEnv.S3_ENDPOINT);
  return [
    narrowed('to-mongo', mongo),
    narrowed('to-kafka', kafka),
    narrowed('to-objects', s3),
    narrowed('to-speech', portsOf(serversEnv.SPEECH_BASE_URL)),
    narrowed('backup-to-stores', [...mongo, ...kafka, ...s3]),
    // There is none.
    narrowed('to-redis', []),
    // None but where settings name one.
    narrowed('to-telemetry', portsOf(serversEnv.OTEL_EXPORTER_OTLP_ENDPOINT)),
  ];
}
