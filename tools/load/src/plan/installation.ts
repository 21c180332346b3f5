import { environmentOf } from '@recording-request/k8s/environment';
import { ensureKustomize } from '@recording-request/k8s/install';
import { type Manifest, parse, render } from '@recording-request/k8s/manifests';
import { BASE, LOCAL, readConfigOf } from '@recording-request/k8s/repository';
import type { InstallContext } from '@recording-request/stack/install/context';
import { SERVICES, type ServiceName } from '@recording-request/stack/service-plan';

export interface Installed {
  replicas: number;
  /** The maximum number of pods of the service's autoscaler; undefined without an autoscaler. */
  maxReplicas?: number;
  /** The share of the requested CPU above which the autoscaler adds pods. */
  utilization?: number;
  requestedCores: number;
  limitCores?: number;
  /** The number of concurrent jobs of a pod. */
  slots: number;
}

/** The resources of `deploy/k8s/base`, and the services' own defaults. */
export interface Installation {
  services: Record<ServiceName, Installed>;
  /** The partitions of each topic. */
  partitions: number;
}

/** Reads the resources from the manifests and from the services' parsed configuration. */
export async function readInstallation(context: InstallContext): Promise<Installation> {
  const kustomize = await ensureKustomize(context);
  const base = parse(await render({ kustomize }, BASE));
  // Only the overlay with all components has all settings.
  const local = parse(await render({ kustomize }, LOCAL));
  const config = async (name: ServiceName) =>
    await readConfigOf(name, environmentOf(named(local, 'Deployment', name)!, local));
  const services = await Promise.all(
    SERVICES.map(async name => [name, installedOf(base, name, await config(name))] as const),
  );
  const { kafkaPartitions } = await config('submissions');
  return {
    services: Object.fromEntries(services) as Installation['services'],
    partitions: Number(kafkaPartitions),
  };
}

const named = (objects: Manifest[], kind: string, name: string) =>
  objects.find(object => object.kind === kind && object.metadata.name === name);

function installedOf(base: Manifest[], name: ServiceName, config: Record<string, unknown>): Installed {
  const { spec } = named(base, 'Deployment', name)!;
  const scaler = named(base, 'HorizontalPodAutoscaler', name)?.spec;
  const { requests, limits } = spec.template.spec.containers[0].resources;
  return {
    replicas: spec.replicas ?? scaler.minReplicas,
    requestedCores: coresOf(requests.cpu),
    slots: Number(config.concurrency ?? 1),
    ...(limits.cpu && { limitCores: coresOf(limits.cpu) }),
    ...(scaler && {
      maxReplicas: scaler.maxReplicas,
      utilization: scaler.metrics[0].resource.target.averageUtilization / 100,
    }),
  };
}

/** Converts "250m" and "2" to cores. */
const coresOf = (quantity: string): number =>
  quantity.endsWith('m') ? Number.parseInt(quantity, 10) / 1000 : Number(quantity);
