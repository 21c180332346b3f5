import { NODE_ADDRESS, POD_GATEWAY } from '@recording-request/k8s/lab/place';

/** The ports of the servers beside the cluster. */
export const SERVER_PORTS = { mongo: 27_017, kafka: 9_092, s3: 9_000, speech: 8_000 } as const;

/** The rules for the gateway's clients and edges: they run on the node. */
export const FROM_EDGE = [
  {
    from: [NODE_ADDRESS, POD_GATEWAY].map(address => ({ ipBlock: { cidr: `${address}/32` } })),
    ports: [{ port: 'http' }],
  },
];

const servers = [{ ipBlock: { cidr: `${NODE_ADDRESS}/32` } }];
const opened = (name: string, ports: number[]) => ({
  target: { kind: 'NetworkPolicy', name },
  patch: JSON.stringify([
    {
      op: 'replace',
      path: '/spec/egress',
      value: ports.length === 0 ? [] : [{ to: servers, ports: ports.map(port => ({ port })) }],
    },
  ]),
});
/** Returns the ports in an address, or in a list of addresses. */
const portsOf = (addresses = ''): number[] =>
  [...addresses.matchAll(/:(\d+)(?=[,/]|$)/g)].map(([, port]) => Number(port));

/**
 * Returns patches with the servers' networks and the gateway's edge. deploy/k8s/README.md requires such patches in every
 * overlay, because the base allows no egress to servers and no ingress from an edge. All other policies come from the base: they allow DNS at the address of a per-node
 * cache, and the owner's endpoint at an outside address.
 */
export function openedTo(serversEnv: Record<string, string>) {
  return [
    {
      target: { kind: 'NetworkPolicy', name: 'from-edge' },
      patch: JSON.stringify([{ op: 'replace', path: '/spec/ingress', value: FROM_EDGE }]),
    },
    opened('to-mongo', portsOf(serversEnv.MONGO_URL)),
    opened('to-kafka', portsOf(serversEnv.KAFKA_BROKERS)),
    opened('to-objects', portsOf(serversEnv.S3_ENDPOINT)),
    opened('to-speech', portsOf(serversEnv.SPEECH_BASE_URL)),
    // Added only if the settings name a collector.
    opened('to-telemetry', portsOf(serversEnv.OTEL_EXPORTER_OTLP_ENDPOINT)),
  ];
}
