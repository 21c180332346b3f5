import { loadConfig, url } from '@recording-request/kit/config';
import { causes, tlsFault } from '@recording-request/kit/tls-files';
import { type Line, note, ok, wrong } from './finding.ts';
import { reasonOf } from './reason.ts';

/** An address for documentation, which no client has. */
const FORGED = '192.0.2.77';
const VARIABLES = { publicBaseUrl: url('PUBLIC_BASE_URL', '') };
/** The remedy in the report: often, the edge's address is reachable only from outside, not from the pods. */
const FROM_OUTSIDE = 'run the same command outside the cluster, with PUBLIC_BASE_URL and TRUSTED_PROXIES';

/** A request as the gateway sees it: `GET /healthz/client`. */
export interface Client {
  address: string;
  forwardedFor: string[];
}

/** Opens the public address like a contributor, with a forged client address. */
export async function publicUrlLines(env: NodeJS.ProcessEnv, limitMs: number): Promise<Line[]> {
  const { publicBaseUrl } = loadConfig(env, VARIABLES);
  let answer: Response;
  try {
    answer = await fetch(`${publicBaseUrl}/healthz/client`, {
      headers: { 'x-forwarded-for': FORGED },
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    });
  } catch (error) {
    const fault = tlsFault(error, 'the public address', 'Node’s own list; contributors’ browsers must trust it too');
    if (fault) return [wrong(fault)];
    if (
      env.KUBERNETES_SERVICE_HOST &&
      ![...causes(error)].some(each => (each as { code?: unknown }).code === 'ENOTFOUND')
    )
      return [note(`not checked, because it cannot be reached from this pod (${reasonOf(error)}): ${FROM_OUTSIDE}`)];
    throw error;
  }
  const found = await answer.json().catch(() => undefined);
  if (answer.status !== 200 || !isClient(found))
    return [
      wrong(
        `it answers ${answer.status}, but not like this gateway: check DNS, the host of the edge’s route, and PUBLIC_BASE_URL`,
      ),
    ];
  return [ok('the gateway answers there'), proxyLine(found, env.TRUSTED_PROXIES ?? '')];
}

const isClient = (found: unknown): found is Client =>
  typeof (found as Client | undefined)?.address === 'string' && Array.isArray((found as Client).forwardedFor);

/** Compares the client address that the gateway found with the entries that the proxies added. */
export function proxyLine({ address, forwardedFor }: Client, setting: string): Line {
  const isNumber = /^\d*$/.test(setting.trim());
  if (address === FORGED)
    return wrong(
      `a client can choose its address: ${isNumber ? 'lower TRUSTED_PROXIES' : 'take addresses out of TRUSTED_PROXIES'}, or make the edge append to X-Forwarded-For`,
    );
  const added = forwardedFor.slice(forwardedFor.lastIndexOf(FORGED) + 1);
  const [client] = added;
  if (client === undefined)
    return forwardedFor.length === 0 && Number(setting) > 0
      ? wrong('no proxy sets X-Forwarded-For, although TRUSTED_PROXIES says so: change the edge or TRUSTED_PROXIES')
      : ok('no proxy is in front, or none that sets X-Forwarded-For');
  if (address === client) return ok('the gateway knows the address of its client');
  const proxies = added.slice(1);
  return wrong(
    `the gateway takes a proxy (${address}) for the client: ${isNumber ? `set TRUSTED_PROXIES to ${added.length}` : `add the proxies to TRUSTED_PROXIES${proxies.length > 0 ? ` (${proxies.join(', ')}, and the last one)` : ''}`}`,
  );
}
