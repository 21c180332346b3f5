import { type Manifest, podOf } from '../manifests.ts';
import type { Program } from './environment.ts';
import { type Finding, fault, inWords, listed, note, type Part } from './finding.ts';

const containersOf = (object: Manifest): Part[] => {
  const { initContainers = [], containers = [] } = podOf(object)?.spec ?? {};
  return [...initContainers, ...containers];
};

/** Returns a fault for each container without an image: kustomize adds a container whose name a patch misspells. */
export const imagelessContainers = (all: Manifest[]): Finding[] =>
  all.flatMap(object =>
    containersOf(object)
      .filter(({ image }) => !image)
      .map(({ name }) =>
        fault(
          `${inWords(object)} has a container ${name} without an image: a patch names a container that does not exist.`,
        ),
      ),
  );

/** Returns the objects without these containers. Otherwise, every other rule would report the same fault again. */
export const withImages = (all: Manifest[]): Manifest[] =>
  all.map(object => {
    if (containersOf(object).every(({ image }) => image)) return object;
    const copy = structuredClone(object);
    const { spec } = podOf(copy)!;
    for (const list of ['initContainers', 'containers'])
      if (spec[list]) spec[list] = spec[list].filter(({ image }: Part) => image);
    return copy;
  });

/** Returns faults and notes about the pods of our programs. */
export const podFindings = (programs: Program[], all: Manifest[]): Finding[] => [
  ...all.flatMap(object => containersOf(object).flatMap(container => requestFaults(object, container))),
  ...programs.flatMap(graceFaults),
  ...imageFaults(programs, all),
  ...workerImageFaults(programs),
  ...repositoryNotes(programs),
  ...backupFaults(all),
  ...placementNotes(programs, all),
  ...pullNotes(programs),
];

const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Returns the number in a quantity of Kubernetes; NaN for an unusual one. */
function numberOf(quantity: unknown): number {
  const [, digits, unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(String(quantity)) ?? [];
  return Number(digits) * (UNITS[unit] ?? Number.NaN);
}

/** The API server refuses the pods, not the Deployment, so an apply succeeds without pods. */
function requestFaults(object: Manifest, { name, resources = {} }: Part): Finding[] {
  const { requests = {}, limits = {} } = resources ?? {};
  return Object.entries(requests ?? {})
    .filter(([resource, wanted]) => numberOf(wanted) > numberOf(limits?.[resource]))
    .map(([resource, wanted]) =>
      fault(
        `${inWords(object)}: container ${name} requests ${resource} ${wanted}, but its limit is ${limits[resource]}: lower the request or raise the limit.`,
      ),
    );
}

const STOP_SECONDS = 25;
const GRACE_SECONDS = 30;

function graceFaults({ object, container, values }: Program): Finding[] {
  if (object.kind !== 'Deployment') return [];
  const grace: number = podOf(object)!.spec.terminationGracePeriodSeconds ?? GRACE_SECONDS;
  const serves: number = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
  const stop = Number(values.STOP_GRACE_SECONDS || STOP_SECONDS);
  return stop >= grace - serves
    ? [
        fault(
          `${inWords(object)}: STOP_GRACE_SECONDS is ${stop}, but Kubernetes kills the pods after ${grace} s, of which they serve for ${serves} s: set terminationGracePeriodSeconds to ${stop + serves + 15}, or a lower STOP_GRACE_SECONDS.`,
        ),
      ]
    : [];
}

/**
 * Returns a fault if the operator's pod and the gateway have different images. The pod has a separate kustomization, so
 * an operator may forget to change its image.
 */
function imageFaults(programs: Program[], all: Manifest[]): Finding[] {
  return all
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.name === 'admin')
    .flatMap(admin => {
      const gateway = programs.find(
        ({ name, object }) => name === 'gateway' && object.metadata.namespace === admin.metadata.namespace,
      );
      const image: string = admin.spec.containers[0]?.image;
      return !gateway || gateway.container.image === image
        ? []
        : [
            fault(
              `Pod admin has the image ${image}, but ${inWords(gateway.object)} has ${gateway.container.image}: set the same image in both kustomizations.`,
            ),
          ];
    });
}

/** Only the image of the workers has ffmpeg. */
function workerImageFaults(programs: Program[]): Finding[] {
  const imageOf = (wanted: string) => programs.find(({ name }) => name === wanted)?.container.image;
  return ['media', 'transcription']
    .filter(name => imageOf(name) !== undefined && imageOf(name) === imageOf('submissions'))
    .map(name =>
      fault(
        `Deployment ${name} has the image ${imageOf(name)} of submissions, which has no ffmpeg: set the image of the workers.`,
      ),
    );
}

const repositoryOf = (image = ''): string => image.replace(/@.*$/, '').replace(/:[^/:]*$/, '');

/** The two images usually have different repositories, so a common repository is probably a copied line. */
function repositoryNotes(programs: Program[]): Finding[] {
  const imageOf = (wanted: string) => programs.find(({ name }) => name === wanted)?.container.image;
  const services: string | undefined = imageOf('submissions');
  const workers: string | undefined = imageOf('media');
  return services && workers && services !== workers && repositoryOf(services) === repositoryOf(workers)
    ? [
        note(
          `media and submissions have images of the same repository ${repositoryOf(workers)}: check that the image of media has ffmpeg (the target workers).`,
        ),
      ]
    : [];
}

/** A backup writes to a bucket or to a mounted folder. */
function backupFaults(all: Manifest[]): Finding[] {
  return all
    .filter(({ kind, metadata }) => kind === 'CronJob' && metadata.name === 'backup')
    .flatMap(cron => {
      const { args = [], volumeMounts = [] } = containersOf(cron).find(({ name }) => name === 'backup') ?? {};
      const place: string = args[args.indexOf('--to') + 1] ?? '';
      const isMounted = volumeMounts.some(({ mountPath }: Part) => place.startsWith(`${mountPath}/`));
      return place.startsWith('s3://') || isMounted
        ? []
        : [
            fault(
              `${inWords(cron)}: the backup goes to “${place}”, which is no bucket and no mounted folder: write s3://BUCKET for a bucket.`,
            ),
          ];
    });
}

/** A pull Secret that only some pods have is probably missing in the others. */
function pullNotes(programs: Program[]): Finding[] {
  const pullsOf = (object: Manifest) =>
    (podOf(object)!.spec.imagePullSecrets ?? [])
      .map(({ name }: Part) => name)
      .toSorted()
      .join(', ');
  const objects = [...new Set(programs.map(({ object }) => object))];
  const names = [...new Set(objects.map(pullsOf))].filter(Boolean);
  return names.flatMap(pulls => {
    const others = objects.filter(object => pullsOf(object) !== pulls);
    return others.length === 0
      ? []
      : [note(`${listed(others.map(inWords))} lack the pull Secret ${pulls} that other pods have.`)];
  });
}

/** If all services need certain nodes, the tasks probably need these nodes too. */
function placementNotes(programs: Program[], all: Manifest[]): Finding[] {
  const services = [...new Set(programs.map(({ object }) => object))].filter(({ kind }) => kind === 'Deployment');
  const [first, ...others] = services.map(rulesOf);
  const common = [...(first ?? [])].filter(rule => others.every(rules => rules.has(rule)));
  return all
    .filter(({ kind }) => kind === 'Job' || kind === 'CronJob')
    .flatMap(task => {
      const rules = rulesOf(task);
      const missing = common.filter(
        rule => !rules.has(rule) && !(rules.has(ALL_TAINTS) && rule.startsWith('the toleration')),
      );
      return missing.length > 0
        ? [note(`${inWords(task)} lacks ${listed(missing)}, which all Deployments have: its pods may wait for ever.`)]
        : [];
    });
}

const ALL_TAINTS = 'the toleration of all taints';

function rulesOf(object: Manifest): Set<string> {
  const { nodeSelector, tolerations } = podOf(object)!.spec;
  return new Set([
    ...Object.entries(nodeSelector ?? {}).map(([key, value]) => `nodeSelector ${key}: ${value}`),
    ...(tolerations ?? []).map(
      (each: Part) => `the toleration of ${[each.key ?? 'all taints', each.value].filter(Boolean).join('=')}`,
    ),
  ]);
}
