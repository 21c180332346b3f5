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

/**
 * Gives a case access to the product in the cluster, to contributors and to an owner. Also collects the checker's
 * input.
 */
export interface ClusterHarness extends Judged, AsyncDisposable {
  product: Product;
  /** Runs Helm with an administrator's rights, by default for at most a minute. Rejects with Helm's error. */
  helm(args: string[], timeoutMs?: number): Promise<string>;
  kustomize: string;
  /** The rendered objects of the installation. */
  objects: Manifest[];
  /** The shipped production overlay, without the lab's changes. */
  production: Manifest[];
  certificates: MachineCertificates;
  serversEnv: Record<string, string>;
  /** The servers, for a case that needs several of each kind. */
  several: Several | undefined;
  /** The pod for the operator's commands; the case applies it. */
  operatorPod: Manifest[];
  overlay: Overlay;
  previous: string | undefined;
  place: Place;
  built: Record<string, string>;
  /** Makes the checker read these databases, topics and this bucket from now on. */
  lookAt(place: StoresPlace): Promise<void>;
  /** The token of the owner, who has every scope and no projects yet. */
  apiToken: string;
  gateway: GatewayClient;
  /** Routes all clients through another address until disposal. */
  comeBy(way: Way): Disposable;
  pool: TakePool;
  load: Load;
  projects(): Promise<{ plain: Project; spoken: Project }>;
  violated(sentence: string): void;
  readonly notes: string[];
  signal: AbortSignal;
}

/** The path of clients to the gateway, and its host name if it differs from the address. */
interface Way {
  origin: string;
  host?: string;
}

/** The stores of the product's documents, events and objects. */
export interface StoresPlace {
  databasePrefix: string;
  topicPrefix: string;
  bucket: string;
}

const PLACE: StoresPlace = { databasePrefix: '', topicPrefix: '', bucket: 'recording-request' };

/** The parts that all cases of a run share. */
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
  /** Renders the base with the values of another installation. */
  overlay: Overlay;
  /** The sources of the previous version, if a case needs them. */
  previous: string | undefined;
  place: Place;
  /** The folders of programs for single cases, by name. */
  built: Record<string, string>;
  dir: string;
}

/**
 * Creates an owner unless a token is given, and opens the clients and the checker. By default, they use the shared
 * installation.
 */
export async function openHarness(
  installed: Installed,
  random: Random,
  signal: AbortSignal,
  { origin = ORIGIN, stores = PLACE, token }: { origin?: string; stores?: StoresPlace; token?: string } = {},
): Promise<ClusterHarness> {
  const { serversEnv, dir } = installed;
  await using opening = new AsyncDisposableStack();
  const receiver = opening.use(await openReceiver(id => owner.secretsOf(id), OUTSIDE_ADDRESS));
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
    // Kubernetes ends the programs of a pod with the pod.
    workDir: dir,
    get violations() {
      return [...own, ...ledger.violations];
    },
    violated: sentence => void own.push(sentence),
    noted: sentence => void notes.push(sentence),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Creates an owner with every scope. Resolves to their API token. */
export async function newOwner({ product, certificates }: Installed): Promise<string> {
  const [pod] = await product.pods('projects');
  const projects = { operator: `${pod!.address}:50052` };
  const cluster = { certificates, services: { projects } } as unknown as Parameters<typeof provision>[0];
  return (await provision(cluster)).apiToken;
}
