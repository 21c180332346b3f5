import { NODE_ADDRESS } from './place.ts';

/** Returns the objects that make the API server forward a group of its API, such as metrics, to a process beside the cluster. */
export function aggregatedApi({ name, group, port }: { name: string; group: string; port: number }): object[] {
  const metadata = { name, namespace: 'kube-system' };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { ports: [{ name: 'https', port: 443, targetPort: port }] },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port, protocol: 'TCP' }],
      endpoints: [{ addresses: [NODE_ADDRESS], conditions: { ready: true } }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `v1beta1.${group}` },
      spec: {
        ...{ group, version: 'v1beta1', groupPriorityMinimum: 100, versionPriority: 100 },
        insecureSkipTLSVerify: true,
        service: metadata,
      },
    },
  ];
}
