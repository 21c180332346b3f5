import type { Manifest } from '../manifests.ts';
import type { Finding, Part } from './finding.ts';

const NAMESPACE = 'clips';

/** Returns an object of the namespace of all fixtures. */
export const object = (kind: string, name: string, fields: object = {}, apiVersion = 'v1'): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, namespace: NAMESPACE },
  ...fields,
});

/** Returns a Deployment of a service with this container and these volumes. */
export const deployment = (name: string, container: Part = {}, volumes: Part[] = []): Manifest =>
  object('Deployment', name, {
    spec: {
      template: {
        metadata: { labels: { 'app.kubernetes.io/name': name } },
        spec: { containers: [{ name: 'service', args: [`services/${name}/src/main.ts`], ...container }], volumes },
      },
    },
  });

export const settings = (data: Record<string, string>): Manifest => object('ConfigMap', 'settings', { data });

/** A container's reference to the settings. */
export const FROM_SETTINGS = { envFrom: [{ configMapRef: { name: 'settings' } }] };

export const secretKey = (name: string, secret: string, optional = false): Part => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key: name, ...(optional && { optional }) } },
});

export const policy = (name: string, selected: string, egress: Part[]): Manifest =>
  object(
    'NetworkPolicy',
    name,
    {
      spec: {
        podSelector: { matchLabels: { 'app.kubernetes.io/name': selected } },
        policyTypes: ['Egress'],
        egress,
      },
    },
    'networking.k8s.io/v1',
  );

export const faultsIn = (findings: Finding[]): string[] =>
  findings.filter(({ isNote }) => !isNote).map(({ text }) => text);
export const notesIn = (findings: Finding[]): string[] =>
  findings.filter(({ isNote }) => isNote).map(({ text }) => text);
