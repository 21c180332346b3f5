import type { ServiceName } from '@recording-request/stack/service-plan';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';

/**
 * What a shell in a pod tries, with what the pod has: to mint a token and to erase at the services' and the operator's ports, by the
 * pod's own certificate and by none, and to find a token of Kubernetes. Prints a line for each, with what came of it.
 */
const ATTACK = `
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const grpc = createRequire('/app/packages/kit/src/x.ts')('@grpc/grpc-js');
const { ProjectsOperatorServiceService: operator } = await import('/app/proto/gen/recording/operator/v1/projects.ts');
const { ProjectsServiceService: projects } = await import('/app/proto/gen/recording/projects/v1/projects.ts');
const read = name => readFileSync('/tls/' + name);
const mine = grpc.credentials.createSsl(read('ca.crt'), read('tls.key'), read('tls.crt'));
const none = grpc.credentials.createSsl(read('ca.crt'));
const calls = [
  ['mint a token', 'projects:50052', operator, 'createApiToken', { userId: 'u', label: 'l', scopes: [] }],
  ['make a user', 'projects:50052', operator, 'createUser', { userName: 'n' }],
  ['mint a token at the services\\u2019 port', 'projects:50051', operator, 'createApiToken', { userId: 'u', label: 'l', scopes: [] }],
  ['erase a project', 'projects:50052', operator, 'eraseProject', { projectId: 'p' }],
  ['replace a dashboard\\u2019s token', 'projects:50051', projects, 'rotateDashboardToken', { ownerId: 'o', projectId: 'p' }],
];
for (const [what, address, service, method, request] of calls)
  for (const [by, credentials] of [['its certificate', mine], ['none', none]]) {
    const definition = service[method];
    if (!definition) { console.log([what, by, 'NO SUCH CALL'].join('|')); continue; }
    const client = new grpc.Client('dns:///' + address, credentials, { 'grpc.ssl_target_name_override': 'projects' });
    const outcome = await new Promise(resolve => client.makeUnaryRequest(definition.path, definition.requestSerialize,
      definition.responseDeserialize, request, { deadline: Date.now() + 4000 }, error => resolve(error ? grpc.status[error.code] : 'REACHED')));
    client.close();
    console.log([what, by, outcome].join('|'));
  }
console.log(['a token of Kubernetes', 'a file', existsSync('/var/run/secrets/kubernetes.io/serviceaccount/token') ? 'REACHED' : 'NOT THERE'].join('|'));
`;

const REFUSED = /^(PERMISSION_DENIED|UNAVAILABLE|DEADLINE_EXCEEDED|UNAUTHENTICATED|UNIMPLEMENTED|NOT THERE)$/;

async function attack({ product, violated, noted }: ClusterHarness, service: ServiceName): Promise<void> {
  const [pod] = await product.pods(service);
  const shell = ['exec', pod!.name, '--container=service', '--', 'node', '--input-type=module', '--eval', ATTACK];
  const lines = (await product.in(shell)).trim().split('\n');
  const outcomes = lines.map(line => line.split('|') as [what: string, by: string, outcome: string]);
  for (const [what, by, outcome] of outcomes)
    if (!REFUSED.test(outcome)) violated(`a shell in a pod of ${service} could ${what} by ${by}: ${outcome}`);
  noted(
    `${service}: ${outcomes.length} attempts, none passed or: ${outcomes.map(([, , outcome]) => outcome).join(', ')}`,
  );
}

export const capturedPod: ClusterCase = {
  name: 'captured-pod',
  promise:
    'a shell in a pod of webhooks, media or transcription mints no token, erases nothing and finds no token of Kubernetes',
  async run(harness) {
    for (const service of ['webhooks', 'media', 'transcription'] as const) await attack(harness, service);
  },
};
