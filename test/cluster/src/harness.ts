import type { Judged } from '@recording-request/fault-test/check/checker';
import { NOTHING_EXPECTED } from '@recording-request/fault-test/check/expectations';
import { openLeftovers } from '@recording-request/fault-test/check/leftovers';
import { contribute } from '@recording-request/fault-test/contributors/contributor';
import { createLedger } from '@recording-request/fault-test/contributors/ledger';
import { openTakePool, type TakePool } from '@recording-request/fault-test/contributors/takes';
import { createGatewayClient, type GatewayClient } from '@recording-request/fault-test/harness/gateway-client';
import { createLoad, type Load, twoProjects } from '@recording-request/fault-test/harness/load';
import { createOwner, type Project } from '@recording-request/fault-test/owner/owner';
import { openReceiver } from '@recording-request/fault-test/owner/receiver';
import { OUTSIDE_ADDRESS, type Place } from '@recording-request/k8s/lab/place';
import type { Manifest } from '@recording-request/k8s/manifests';
import type { MachineCertificates } from '@recording-request/stack/certificates';
import { provision } from '@recording-request/stack/provision';
import type { Random } from '@recording-request/stack/random';
import { ORIGIN, type Overlay } from './product/overlay.ts';
import type { Product } from './product/product.ts';
import type { Several } from './servers/beside.ts';

/** The product in the cluster, its contributors and its owner, as a case is given them; and what the checker looks at. */
export interface ClusterHarness extends Judged, AsyncDisposable {
  product: Product;
  /** Runs Helm with the rights of an administrator, a minute at most by default. Rejects with what it said. */
  helm(args: string[], timeoutMs?: number): Promise<string>;
  kustomize: string;
  /** What was installed, rendered. */
  objects: Manifest[];
  /** The overlay for production as it is shipped, without what makes it fit the lab. */
  production: Manifest[];
  certificates: MachineCertificates;
  serversEnv: Record<string, string>;
  /** The servers of a case that asks for several. */
  several: Several | undefined;
  /** The pod from which the operator's commands are run; it is not applied. */
  operatorPod: Manifest[];
  overlay: Overlay;
  previous: string | undefined;
  place: Place;
  built: Record<string, string>;
  /** From now on the checker looks at what is left behind in other databases, topics and another bucket. */
  lookAt(place: StoresPlace): Promise<void>;
  /** The owner's, who has every scope and no projects yet. */
  apiToken: string;
  gateway: GatewayClient;
  /** Has all clients come another way, until disposed of. */
  comeBy(way: Way): Disposable;
  pool: TakePool;
  load: Load;
  projects(): Promise<{ plain: Project; spoken: Project }>;
  violated(sentence: string): void;
  readonly notes: string[];
  signal: AbortSignal;
}

/** How clients come to the gateway, and by which name if it is not that of the address. */
interface Way {
  origin: string;
  host?: string;
}

/** Where the product's documents, events and objects are. */
export interface StoresPlace {
  databasePrefix: string;
  topicPrefix: string;
  bucket: string;
}

const PLACE: StoresPlace = { databasePrefix: '', topicPrefix: '', bucket: 'recording-request' };

/** What a run of cases has in common. */
export interface Installed {
  product: Product;
  helm: ClusterHarness['helm'];
  /** The path of kustomize. */
  kustomize: string;
  objects: Manifest[];
  production: Manifest[];
  certificates: MachineCertificates;
  serversEnv: Record<string, string>;
  several: Several | undefined;
  operatorPod: Manifest[];
  /** Renders the base with what another installation of it has. */
  overlay: Overlay;
  /** The sources of the version before, where a case needs them. */
  previous: string | undefined;
  place: Place;
  /** Folders of what was built for single cases, by its name. */
  built: Record<string, string>;
  dir: string;
}

/**
 * Makes an owner, unless their token is given, and opens what drives and judges the product: that which all cases share, unless another
 * address and other stores are given.
 */
export async function openHarness(
  installed: Installed,
  random: Random,
  signal: AbortSignal,
  { origin = ORIGIN, stores = PLACE, token }: { origin?: string; stores?: StoresPlace; token?: string } = {},
): Promise<ClusterHarness> {
  const { serversEnv, dir } = installed;
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(
    await openReceiver(id => owner.projects.find(({ projectId }) => projectId === id)?.webhookSecret, OUTSIDE_ADDRESS),
  );
  let leftovers = opening.use(await openLeftovers({ env: serversEnv, ...stores }));
  const apiToken = token ?? (await newOwner(installed));
  let way: Way = { origin };
  const client = createGatewayClient(() => [way.origin], random.fork('gateway'));
  const gateway: GatewayClient = {
    ...client,
    ask: (path, ask = {}) =>
      client.ask(path, { ...ask, headers: { ...(way.host && { host: way.host }), ...ask.headers } }),
  };
  const owner = createOwner(gateway, apiToken, receiver.url);
  const ledger = createLedger();
  const pool = await openTakePool();
  const own: string[] = [];
  const notes: string[] = [];
  let made: ReturnType<typeof twoProjects> | undefined;
  const projects = () => {
    made ??= twoProjects(owner);
    return made;
  };
  const load = createLoad({
    ...{ pool, signal, projects },
    contribute: ({ project, url }, take, mine, how) =>
      contribute(
        { gateway, ledger, random: mine, signal },
        { projectId: project.projectId, link: url ?? project.sharedUrl },
        take,
        how,
      ),
  });
  const opened = opening.move();
  return {
    ...installed,
    ...{ owner, apiToken, ledger, receiver, gateway, pool, load, projects, notes, signal },
    get leftovers() {
      return leftovers;
    },
    comeBy(another) {
      way = another;
      return {
        [Symbol.dispose]() {
          way = { origin };
        },
      };
    },
    async lookAt(place) {
      leftovers = opened.use(await openLeftovers({ env: serversEnv, ...place }));
    },
    expected: NOTHING_EXPECTED,
    // The programs of pods are theirs: what a pod leaves behind ends with it.
    workDir: dir,
    get violations() {
      return [...own, ...ledger.violations];
    },
    violated: sentence => void own.push(sentence),
    noted: sentence => void notes.push(sentence),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Makes an owner with every scope. Resolves to their API token. */
export async function newOwner({ product, certificates }: Installed): Promise<string> {
  const [pod] = await product.pods('projects');
  const projects = { operator: `${pod!.address}:50052` };
  const cluster = { certificates, services: { projects } } as unknown as Parameters<typeof provision>[0];
  return (await provision(cluster)).apiToken;
}
