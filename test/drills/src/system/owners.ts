import { type Faults, faultsOf } from '@recording-request/fault-test/harness/faults';
import type { Harness } from '@recording-request/fault-test/harness/harness';
import type { Project } from '@recording-request/fault-test/owner/owner';
import { type FaultProxy, openProxy } from '@recording-request/fault-test/proxy/proxy';

/** The projects of all owners, and the proxies in front of the owners' endpoints. Each owner has one endpoint. */
export interface Owners {
  /** The first owner's projects, without and with transcription. */
  plain: Project;
  spoken: Project;
  /** The other owners' projects, one each. */
  others: Project[];
  /** The endpoints of all owners. */
  endpoints: Faults;
  /** One of the other owners. A drill can break the endpoint of only this owner. */
  single: { project: Project; endpoint: FaultProxy };
}

// One failing endpoint of six is less than a fifth; above a fifth, EndpointsFailing fires.
const OTHERS = 4;

/** Creates the owners and their projects. `stack` closes the proxies. */
export async function openOwners(harness: Harness, stack: AsyncDisposableStack): Promise<Owners> {
  const { owner, receiver } = harness;
  const { host, pathname } = new URL(receiver.url);
  const open = async () => stack.use(await openProxy({ targets: () => [host] }));
  const settings = ({ port }: FaultProxy) => ({
    webhookUrl: `http://127.0.0.1:${port}${pathname}`,
    sharedLinkMaxUses: 100_000,
  });
  const first = await open();
  const plain = await owner.create(settings(first));
  const spoken = await owner.create({ ...settings(first), transcriptionEnabled: true });
  const others: Project[] = [];
  const proxies: FaultProxy[] = [];
  for (let count = 0; count < OTHERS; count++) {
    const proxy = await open();
    proxies.push(proxy);
    others.push(await owner.createFor(await harness.anotherOwner(), settings(proxy)));
  }
  const endpoints = faultsOf([first, ...proxies]);
  return { plain, spoken, others, endpoints, single: { project: others[0]!, endpoint: proxies[0]! } };
}
