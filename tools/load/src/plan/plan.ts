import type { ServiceName } from '@recording-request/stack/service-plan';
import { type ClipSize, costOf, type Measured, meanOf, type Sample, SERVERS, type Spender } from './costs.ts';
import type { Installation } from './installation.ts';

export interface Demand extends ClipSize {
  clipsPerMinute: number;
  /** The seconds that the speech endpoint takes for a clip. (The measured endpoint responds at once.) */
  speechSeconds: number;
}

/** A limit of the installation, and the clips a minute at which the load reaches the limit. */
export interface Limit {
  what: string;
  clipsPerMinute: number;
}

export interface Plan {
  demand: Demand;
  services: { name: ServiceName; cores: number; replicas: number }[];
  /**
   * The number of partitions: one for each pod of media, transcription and webhooks. A pod may have more slots, because
   * jobs of one partition run in parallel.
   */
  partitions: number;
  servers: { name: (typeof SERVERS)[number]; cores: number }[];
  bytes: { storedPerDay: number; databasePerDay: number; eventsPerDay: number };
  /** The average bits a second from contributors, into the store, and out of the store. */
  bandwidth: { in: number; toStore: number; fromStore: number };
  /** The limits, the lowest first. */
  limits: Limit[];
}

const DAY_MINUTES = 24 * 60;
const MEGA = 1e6;

/**
 * Returns the seconds that a media slot takes for a clip while others wait: the CPU time of the job on that many cores,
 * plus the job's waits for stores and brokers. A job uses at most one core.
 */
export function jobSecondsOf({ samples }: Pick<Measured, 'samples'>, size: ClipSize, cores = 1): number {
  const cpu = costOf(samples, size, ({ jobCpuSeconds }) => jobCpuSeconds);
  const waiting = costOf(samples, size, ({ jobSeconds, jobCpuSeconds }) => Math.max(0, jobSeconds - jobCpuSeconds));
  return cpu / Math.min(1, cores) + waiting;
}

/** Returns the resources for a number of clips, derived from the measured costs. */
export function planFor(measured: Measured, installation: Installation, demand: Demand): Plan {
  const { services, partitions } = installation;
  const { clipsPerMinute } = demand;
  const cost = (value: (sample: Sample) => number) => costOf(measured.samples, demand, value);
  const cpu = (name: Spender) => cost(({ cpuSeconds }) => cpuSeconds[name]);
  const coresOf = (name: Spender) => (clipsPerMinute / 60) * cpu(name);
  // Uses this share for the workers too, because the cluster adds pods at this share of the CPU.
  const busy = services.gateway.utilization!;
  const media = services.media;
  const seconds = {
    media: jobSecondsOf(measured, demand, (media.limitCores ?? 1) / media.slots),
    transcription: cpu('transcription') + demand.speechSeconds,
  };
  const jobs = (name: keyof typeof seconds) => (clipsPerMinute / 60) * seconds[name];
  const replicasOf = (name: ServiceName) => {
    const { replicas, requestedCores, utilization, slots } = services[name];
    if (utilization) return atLeast(replicas, coresOf(name) / (requestedCores * utilization));
    if (name === 'media' || name === 'transcription') return atLeast(replicas, jobs(name) / slots / busy);
    return atLeast(replicas, coresOf(name) / busy);
  };
  const names = Object.keys(services) as ServiceName[];
  const needed = names.map(name => ({ name, cores: coresOf(name), replicas: replicasOf(name) }));
  const podsOf = (name: ServiceName) => needed.find(each => each.name === name)!.replicas;
  const perDay = clipsPerMinute * DAY_MINUTES;
  const [stored, audio] = [cost(({ storedBytes }) => storedBytes), cost(({ audioBytes }) => audioBytes)];
  const bits = (bytes: number) => (clipsPerMinute / 60) * bytes * 8;
  const perMinute = (each: number) => (each > 0 ? 60 / each : Number.POSITIVE_INFINITY);
  const limits: Limit[] = [
    ...(['media', 'transcription'] as const).map(name => ({
      what: `${services[name].replicas} pods of ${name}`,
      clipsPerMinute: services[name].replicas * services[name].slots * perMinute(seconds[name]),
    })),
    ...names
      .filter(name => services[name].maxReplicas)
      .map(name => ({
        what: `${services[name].maxReplicas} pods of ${name}, a processor each`,
        clipsPerMinute: services[name].maxReplicas! * perMinute(cpu(name)),
      })),
    {
      what: `${services.webhooks.replicas} pods of webhooks, a processor each`,
      clipsPerMinute: services.webhooks.replicas * perMinute(cpu('webhooks')),
    },
    { what: 'a processor of MongoDB’s primary', clipsPerMinute: perMinute(cpu('mongo')) },
  ];
  return {
    demand,
    services: needed,
    partitions: atLeast(partitions, Math.max(podsOf('media'), podsOf('transcription'), podsOf('webhooks'))),
    servers: SERVERS.map(name => ({ name, cores: coresOf(name) })),
    bytes: {
      storedPerDay: perDay * stored,
      databasePerDay: perDay * meanOf(measured.samples, ({ databaseBytes }) => databaseBytes),
      eventsPerDay: perDay * meanOf(measured.samples, ({ eventBytes }) => eventBytes),
    },
    // An upload goes to the store in parts, which the store joins. Media reads the upload and stores its results.
    // Transcription reads the sound.
    bandwidth: {
      in: bits(demand.megabytes * MEGA),
      toStore: bits(demand.megabytes * MEGA + stored),
      fromStore: bits(demand.megabytes * MEGA + audio),
    },
    limits: limits.sort((one, other) => one.clipsPerMinute - other.clipsPerMinute),
  };
}

const atLeast = (least: number, needed: number): number => Math.max(least, Math.ceil(needed));
