import { readDrawn } from '@recording-request/k8s/drawn';
import { builtImage } from '@recording-request/k8s/images/product';
import type { ServiceName } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { NAMESPACE } from '../product/overlay.ts';
import type { Product } from '../product/product.ts';
import { isDrawn, openTargets, reachedFrom, type Target } from '../product/reach.ts';

/**
 * The script of an attacker's shell in a pod, with only the pod's own files and variables. It tries to create tokens
 * and to erase data at the services' and the operator's ports, with the pod's certificate and without one. It also
 * searches for a Kubernetes token. It prints one line with the outcome of each attempt.
 */
const ATTACK = `
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const grpc = createRequire('/app/packages/kit-rpc/src/x.ts')('@grpc/grpc-js');
const { ProjectsOperatorServiceService: operator } = await import('/app/proto/gen/recording/operator/v1/projects.ts');
const { SubmissionsOperatorServiceService: submissions } = await import('/app/proto/gen/recording/operator/v1/submissions.ts');
const { WebhooksOperatorServiceService: webhooks } = await import('/app/proto/gen/recording/operator/v1/webhooks.ts');
const { ProjectsServiceService: projects } = await import('/app/proto/gen/recording/projects/v1/projects.ts');
const read = name => readFileSync('/tls/' + name);
const mine = grpc.credentials.createSsl(read('ca.crt'), read('tls.key'), read('tls.crt'));
const none = grpc.credentials.createSsl(read('ca.crt'));
const calls = [
  ['create a token', 'projects:50052', operator, 'createApiToken', { userId: 'u', label: 'l', scopes: [] }],
  ['create a user', 'projects:50052', operator, 'createUser', { userName: 'n' }],
  ['create a token at the services\\u2019 port', 'projects:50051', operator, 'createApiToken', { userId: 'u', label: 'l', scopes: [] }],
  ['erase a project', 'projects:50052', operator, 'eraseProject', { projectId: 'p' }],
  ['erase a clip', 'submissions:50052', submissions, 'eraseSubmission', { submissionId: 's' }],
  ['erase a link', 'submissions:50052', submissions, 'eraseLink', { linkId: 'l' }],
  ['erase the clips of a project', 'submissions:50052', submissions, 'eraseProjectSubmissions', { projectId: 'p' }],
  ['erase the deliveries of a clip', 'webhooks:50052', webhooks, 'eraseSubmissionDeliveries', { submissionId: 's' }],
  ['erase the deliveries of a project', 'webhooks:50052', webhooks, 'eraseProjectDeliveries', { projectId: 'p' }],
  ['replace a dashboard\\u2019s token', 'projects:50051', projects, 'rotateDashboardToken', { ownerId: 'o', projectId: 'p' }],
];
for (const [what, address, service, method, request] of calls)
  for (const [by, credentials] of [['its certificate', mine], ['none', none]]) {
    const definition = service[method];
    if (!definition) { console.log([what, by, 'NO SUCH CALL'].join('|')); continue; }
    const client = new grpc.Client('dns:///' + address, credentials, { 'grpc.ssl_target_name_override': address.split(':')[0] });
    const outcome = await new Promise(resolve => client.makeUnaryRequest(definition.path, definition.requestSerialize,
      definition.responseDeserialize, request, { deadline: Date.now() + 4000 }, error => resolve(error ? grpc.status[error.code] : 'REACHED')));
    client.close();
    console.log([what, by, outcome].join('|'));
  }
console.log(['a token of Kubernetes', 'a file', existsSync('/var/run/secrets/kubernetes.io/serviceaccount/token') ? 'REACHED' : 'NOT THERE'].join('|'));
`;

/**
 * The expected outcome of each attempt. Services refuse the pod's own certificate, and close connections without a
 * certificate.
 */
const REFUSED: Record<string, string> = {
  'its certificate': 'PERMISSION_DENIED',
  none: 'UNAVAILABLE',
  'a file': 'NOT THERE',
};

async function attack({ product, violated, noted }: ClusterHarness, service: ServiceName): Promise<void> {
  const [pod] = await product.pods(service);
  const shell = ['exec', pod!.name, '--container=service', '--', 'node', '--input-type=module', '--eval', ATTACK];
  const lines = (await product.in(shell)).trim().split('\n');
  const outcomes = lines.map(line => line.split('|') as [what: string, by: string, outcome: string]);
  for (const [what, by, outcome] of outcomes)
    if (outcome !== REFUSED[by])
      violated(`a shell in a pod of ${service} tried to ${what} by ${by}: ${outcome}, not ${REFUSED[by]}`);
  noted(
    `${service}: ${outcomes.length} attempts to create a token, erase data and find a token: ${outcomes.map(([, , outcome]) => outcome).join(', ')}`,
  );
}

const CAPTURED = ['webhooks', 'media', 'transcription'] as const;
/** The time within which a changed policy takes effect. */
const HOLDS = { limitMs: 20_000, everyMs: 500 };

/** Allows all traffic until disposal, because policies are additive. */
async function withoutPolicies({ kubectl, in: inside }: Product): Promise<AsyncDisposable> {
  const name = 'everything';
  const spec = { podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] };
  const metadata = { name, namespace: NAMESPACE };
  await kubectl.apply([{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata, spec }]);
  return { [Symbol.asyncDispose]: async () => void (await inside(['delete', 'networkpolicy', name])) };
}

/**
 * Tries all targets from a shell in a pod of the service, until exactly the targets in `may` are reachable. Reports
 * remaining differences.
 */
async function judgeReach(
  { product, violated }: ClusterHarness,
  service: ServiceName,
  { all, may, how }: { all: Target[]; may(target: Target): boolean; how: string },
): Promise<string> {
  const [pod] = await product.pods(service);
  const targets = all.filter(({ address }) => address !== pod!.address);
  const wanted = new Set(targets.filter(may));
  let reached: Target[] = [];
  const isAsWanted = async () => {
    reached = await reachedFrom(product, pod!, targets);
    return reached.length === wanted.size && reached.every(target => wanted.has(target));
  };
  await until(`${how} ${service} reaches exactly the permitted targets`, isAsWanted, HOLDS).catch((error: Error) => {
    violated(error.message);
    for (const target of targets) {
      const { name, address, port } = target;
      if (reached.includes(target) === wanted.has(target)) continue;
      const does = wanted.has(target) ? 'does not reach' : 'reaches';
      violated(`${how} a shell in a pod of ${service} ${does} ${name}, ${address}:${port}`);
    }
  });
  return `${service} ${reached.length} of ${targets.length}`;
}

export const capturedPod: ClusterCase = {
  name: 'captured-pod',
  promise:
    'a shell in a pod of webhooks, media or transcription reaches only the connections in ARCHITECTURE.md; even without policies, it creates no token and erases no data, and it finds no Kubernetes token',
  async run(harness) {
    const { product, noted } = harness;
    const drawn = await readDrawn();
    await product.settled();
    await using targets = await openTargets(product, builtImage('services'));
    const { all } = targets;
    const judge = async (how: string, may: (service: ServiceName, target: Target) => boolean) => {
      const counts: string[] = [];
      for (const service of CAPTURED)
        counts.push(await judgeReach(harness, service, { all, how, may: target => may(service, target) }));
      noted(`${how}: reached by ${counts.join(', ')}`);
    };
    {
      await using _ = await withoutPolicies(product);
      // Shows that the attempts succeed without policies. Otherwise, their failures with policies would prove nothing.
      await judge('without policies', () => true);
      for (const service of CAPTURED) await attack(harness, service);
    }
    await judge('with the policies', (service, target) => isDrawn(drawn, service, target));
  },
};
