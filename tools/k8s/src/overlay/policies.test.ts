import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programsIn } from './environment.ts';
import { deployment, faultsIn, notesIn, object, policy } from './example-objects.ts';
import { dnsFindings, policyFindings } from './policies.ts';

const findings = (to: object, port: unknown) =>
  faultsIn(policyFindings([policy('to-kafka', 'media', [{ to: [to], ports: [{ port }] }])]));

test('finds ports and networks that the API server refuses', () => {
  assert.deepEqual(findings({ ipBlock: { cidr: '10.30.0.0/24', except: ['10.30.0.7/32'] } }, 9093), []);
  assert.deepEqual(findings({ podSelector: {} }, 'http'), []);
  assert.deepEqual(findings({ ipBlock: { cidr: '2001:db8::/32' } }, '9093'), [
    'NetworkPolicy to-kafka: the port "9093" is a text: write 9093 without quotes.',
  ]);
  for (const cidr of ['10.30.0.0', '10.30.0.0/33', '10.30.0/24', '10.30.0.0/a'])
    assert.match(findings({ ipBlock: { cidr } }, 9093).join(), /is no network: write it with its length/);
});

const dns = (egress: object[], ...more: ReturnType<typeof object>[]) => {
  const all = [deployment('media'), policy('dns', 'media', egress), ...more];
  return dnsFindings(programsIn(all), all);
};
const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
const CACHE = { ipBlock: { cidr: '169.254.20.10/32' } };
const PORTS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];

test('finds no fault in rules that may lead to the cluster’s DNS', () => {
  for (const to of [inNamespace('kube-system'), inNamespace('openshift-dns'), { namespaceSelector: {} }])
    assert.deepEqual(dns([{ to: [to, CACHE], ports: PORTS }]), []);
  assert.deepEqual(dns([{ to: [{ ipBlock: { cidr: '10.0.0.10/32' } }], ports: PORTS }]), []);
  assert.deepEqual(dns([{}]), []);
  const cilium = object('CiliumNetworkPolicy', 'dns', { spec: { egress: [] } }, 'cilium.io/v2');
  assert.deepEqual(dns([], cilium), []);
});

test('finds rules that keep pods from DNS, and a misspelt namespace', () => {
  const missing =
    'The network policies do not let media reach DNS by UDP: allow it in networks.dns (policy dns), with the port 53 (OpenShift: 5353).';
  assert.deepEqual(faultsIn(dns([])), [missing]);
  assert.deepEqual(faultsIn(dns([{ to: [inNamespace('kube-system')], ports: [{ port: 53 }] }])), [missing]);
  assert.deepEqual(faultsIn(dns([{ to: [inNamespace('kube-sytem'), CACHE], ports: PORTS }])), [
    'networks.dns (policy dns) names the namespace kube-sytem: correct it to kube-system.',
  ]);
});

test('notes another namespace for DNS', () => {
  assert.deepEqual(notesIn(dns([{ to: [inNamespace('dns'), CACHE], ports: PORTS }])), [
    'networks.dns (policy dns) allows DNS only in the namespace dns; in most clusters it is kube-system (OpenShift: openshift-dns).',
  ]);
});
