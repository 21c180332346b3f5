import { request } from 'node:http';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { builtImage } from '@recording-request/k8s/images/product';
import { EDGE_GATEWAY, EDGE_ORIGIN, startTraefik, TRAEFIK } from '@recording-request/k8s/lab/traefik';
import { BASE } from '@recording-request/k8s/repository';
import { SERVICES } from '@recording-request/stack/service-plan';
import { until } from '@recording-request/testing/wait';
import type { ClusterCase } from '../cluster-case.ts';
import type { ClusterHarness } from '../harness.ts';
import { GATEWAY_ADDRESS } from '../product/overlay.ts';
import { openOutsider } from '../product/reach.ts';
import { handIn, largeTakes, readyVideo } from '../product/transfers.ts';
import { withoutFailures } from '../requests.ts';

const HOST = 'clips.example.com';
const COMPONENTS = [join(BASE, '../edge/gateway-api')];
/** The duration of one PATCH, longer than the default timeout of many proxies. */
const SLOW_SECONDS = 72;
const RANGE = { first: 1_000_000, last: 1_999_999 };
const CALLS = 8;
const LIMIT_MS = 10_000;

/** The shipped HTTPRoute with the values of an overlay. */
async function addRoute({ product, overlay }: ClusterHarness): Promise<void> {
  const objects = await overlay('overlay-edge', { components: COMPONENTS });
  const route = objects.find(({ kind }) => kind === 'HTTPRoute')!;
  await product.kubectl.apply([{ ...route, spec: { ...route.spec, parentRefs: [EDGE_GATEWAY], hostnames: [HOST] } }]);
  await until('the route reaches the gateway', async () => (await answerOf({ path: '/healthz' })).status === 200);
}

interface Call {
  path: string;
  host?: string;
  /** The source address on this machine. */
  from?: string;
  forwardedFor?: string;
}

/** Sends one request through the edge. */
async function answerOf({ path, host = HOST, from, forwardedFor }: Call) {
  const headers = { host, ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) };
  const options = { headers, agent: false, signal: AbortSignal.timeout(LIMIT_MS), ...(from && { localAddress: from }) };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: NodeJS.Dict<unknown> }>();
  request(new URL(path, EDGE_ORIGIN), options, response => {
    response.resume().on('error', reject);
    response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers }));
  })
    .on('error', reject)
    .end();
  return await promise;
}

/** Checks that only the gateway responds, for any host name and address. */
async function judgeReach({ product, violated, noted }: ClusterHarness): Promise<void> {
  const names = SERVICES.flatMap(name => [name, `${name}.recording-request.svc.cluster.local`]);
  for (const host of [...names, 'submissions-http', new URL(EDGE_ORIGIN).host]) {
    const { status, headers } = await answerOf({ path: '/healthz', host });
    if (status !== 404 || headers['request-id']) violated(`for the host name ${host}, the edge returns ${status}`);
  }
  const inner = await answerOf({ path: '/recording.operator.v1.ProjectsOperatorService/CreateUser' });
  if (inner.status !== 404 || !inner.headers['request-id'])
    violated(`a path of another service returns ${inner.status}, and not from the gateway`);
  const types = await product.in(['get', 'services', '--output=jsonpath={.items[*].spec.type}']);
  if (types.split(' ').some(type => type !== 'ClusterIP')) violated(`Services can be reached from outside: ${types}`);
  noted(`${names.length + 2} other names reach no service`);
}

/** Checks that a pod of another namespace cannot reach the gateway, by the addresses of its pods or of its Service. */
async function judgeOutsiders({ product, violated, noted }: ClusterHarness): Promise<void> {
  await using outsider = await openOutsider(product.kubectl, builtImage('services'));
  const gateways = (await product.pods('gateway')).map(({ name, address }) => ({ name, address, port: 8080 }));
  const targets = [...gateways, { name: 'the Service gateway', address: GATEWAY_ADDRESS, port: 80 }];
  const reached = async () => (await outsider.reaches([...targets, outsider.itself])).map(({ name }) => name);
  // Shows that the pod's attempts can succeed.
  await until(
    'the pod outside reaches only itself',
    async () => isDeepStrictEqual(await reached(), [outsider.itself.name]),
    {
      limitMs: 20_000,
      everyMs: 500,
    },
  ).catch(async () => violated(`a pod that is not the edge reaches ${(await reached()).join(', ')}`));
  noted(`a pod that is not the edge reaches none of ${targets.length} addresses of the gateway`);
}

/** Checks that limits count by the client's real address, and ignore the addresses in its headers. */
async function judgeAddresses({ product, violated, noted }: ClusterHarness): Promise<void> {
  const counted = async (from: string, forwardedFor?: string) => {
    const { headers } = await answerOf({ path: '/api/me', from, ...(forwardedFor && { forwardedFor }) });
    const [, max] = /q=(\d+)/.exec(String(headers['ratelimit-policy'])) ?? [];
    const [, left] = /r=(\d+)/.exec(String(headers.ratelimit)) ?? [];
    return Number(max) - Number(left);
  };
  const claims: number[] = [];
  for (let at = 1; at <= CALLS; at++) claims.push(await counted('127.0.0.2', `192.0.2.${at}`));
  const another = await counted('127.0.0.3');
  const gateways = (await product.pods('gateway')).length;
  // Each gateway counts separately.
  if (Math.max(...claims) < CALLS / gateways) violated(`callers count by what they claim: ${claims.join(', ')}`);
  if (another !== 1) violated(`after one request, ${another} requests of another address are counted`);
  noted(
    `${CALLS} calls of one address with claims of others are counted ${claims.join(', ')}, one of another ${another}`,
  );
}

export const edge: ClusterCase = {
  name: 'edge',
  promise: `through a Gateway with only the HTTPRoute: clips and an upload in one request of ${SLOW_SECONDS} s land, range reads work, limits count the client's own address, clients reach only the gateway, and a pod that is not the edge does not reach it`,
  needs: TRAEFIK,
  async run(harness, { random, clips }) {
    const { product, place, built, owner, noted, violated } = harness;
    await using _traefik = await startTraefik(product.kubectl, place, built[TRAEFIK.name]!);
    await addRoute(harness);
    using _way = harness.comeBy({ origin: EDGE_ORIGIN, host: HOST });
    const takes = await largeTakes();
    const slow = async () => {
      const take = takes(random.fork('slow'));
      const began = Date.now();
      await handIn(harness, random.fork('slow upload'), take, take.bytes.length / SLOW_SECONDS);
      noted(`${take.bytes.length} bytes in one request: ${Math.round((Date.now() - began) / 1_000)} s`);
    };
    const others = async () => {
      await harness.load(clips, random.fork('clips'));
      const { videoUrl, fileSize } = await readyVideo(
        harness,
        await handIn(harness, random.fork('fast'), takes(random)),
      );
      const { pathname } = new URL(videoUrl);
      const whole = await owner.ask(pathname, { wanted: 200 });
      const part = await owner.ask(pathname, { headers: { range: `bytes=${RANGE.first}-${RANGE.last}` } });
      if (whole.bytes.length !== fileSize) violated(`a download returned ${whole.bytes.length} bytes of ${fileSize}`);
      if (part.status !== 206 || !part.bytes.equals(whole.bytes.subarray(RANGE.first, RANGE.last + 1)))
        violated(`a range returned other bytes: ${part.what}, ${part.bytes.length} bytes`);
      await judgeReach(harness);
      await judgeAddresses(harness);
      await judgeOutsiders(harness);
    };
    await withoutFailures(harness, () => Promise.all([slow(), others()]));
  },
};
