import { lookup as systemLookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { dialledHost, isPublicAddress } from '../domain/address.ts';

/**
 * The address is not public, or its name resolves to an address that is not public. The agent has opened no connection.
 */
export class AddressRefusedError extends Error {}

const LOOKUP_MS = 3_000;
const LOOKUP_TRIES = 2;
/** An idle connection closes after this time. */
const IDLE_MS = 4_000;

export interface GuardedAgents {
  http: HttpAgent;
  https: HttpsAgent;
}

/**
 * Returns the agents that connect to endpoints. They check the address when they connect, and connect to exactly that
 * address, so a name cannot resolve to one address for the check and to another for the connection. If one address of a
 * name is not public, the agent refuses the name.
 */
export function guardedAgents(options: { allowPrivate: boolean; dnsServers: string[] | undefined }): GuardedAgents {
  const { allowPrivate, dnsServers } = options;
  const lookup = allowPrivate ? systemLookup : publicLookup(dnsServers);
  const how = { keepAlive: true, timeout: IDLE_MS, lookup: lookup as LookupFunction };
  const agents = { http: new HttpAgent(how), https: new HttpsAgent(how) };
  if (!allowPrivate) for (const agent of Object.values(agents)) refuseLiterals(agent);
  return agents;
}

/**
 * Makes the agent refuse IP addresses that are not public. The lookup cannot do this, because Node calls it only for
 * names.
 */
function refuseLiterals(agent: HttpAgent): void {
  const dial = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const host = dialledHost(target.host ?? '');
    if (isIP(host) !== 0 && !isPublicAddress(host)) throw new AddressRefusedError();
    return dial(target, callback);
  };
}

/**
 * Returns a lookup that returns only public addresses. It queries the name servers directly. The system lookup uses a
 * pool of four threads, so a few name servers that do not answer would block every other endpoint.
 */
function publicLookup(servers: string[] | undefined): LookupFunction {
  const resolver = new Resolver({ timeout: LOOKUP_MS, tries: LOOKUP_TRIES });
  if (servers) resolver.setServers(servers);
  return (hostname, options, callback) => {
    resolve(resolver, hostname).then(
      addresses => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      error => callback(error, ''),
    );
  };
}

async function resolve(resolver: Resolver, hostname: string): Promise<Array<{ address: string; family: 4 | 6 }>> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map(address => ({ address, family: 4 as const })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map(address => ({ address, family: 6 as const })) : []),
  ];
  if (addresses.length === 0) throw (v4 as PromiseRejectedResult).reason;
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw new AddressRefusedError();
  return addresses;
}
