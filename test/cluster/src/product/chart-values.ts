import { builtImage } from '@recording-request/k8s/images/product';
import { NODE_ADDRESS } from '@recording-request/k8s/lab/place';
import type { Manifest } from '@recording-request/k8s/manifests';
import { SERVICES } from '@recording-request/stack/service-plan';
import { FROM_EDGE, SERVER_PORTS } from './network.ts';
import { labSettings } from './overlay.ts';

/**
 * Two installations and an extra pod of each service must fit on two processors. Services with callers have more pods, as in
 * production.
 */
const REQUESTS = { cpu: '20m', memory: '64Mi', 'ephemeral-storage': '64Mi' };
const CPU_OF_ANSWERING = '60m';
const SCALED = ['gateway', 'projects', 'submissions'];

const image = (target: 'services' | 'workers') => {
  const [repository, tag] = builtImage(target).split(':');
  return { repository, tag };
};
const server = (port: number) => [{ to: [{ ipBlock: { cidr: `${NODE_ADDRESS}/32` } }], ports: [{ port }] }];

/** Returns the values of the chart's production profile for the lab, with the resource limits from `objects`. */
export function chartValues(serversEnv: Record<string, string>, settings: Record<string, string>, objects: Manifest[]) {
  const limitsOf = (name: string) =>
    objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)!.spec.template.spec
      .containers[0].resources.limits;
  const services = SERVICES.map(name => {
    const answers = SCALED.includes(name);
    const requests = { ...REQUESTS, ...(answers && { cpu: CPU_OF_ANSWERING }) };
    const resources = { requests, limits: limitsOf(name) };
    return [name, { resources, ...(answers && { autoscaling: { min: 2, max: 2 } }) }];
  });
  return {
    profile: 'production',
    images: { services: image('services'), workers: image('workers') },
    settings: labSettings(serversEnv, settings),
    secretName: 'recording-request',
    networks: {
      mongo: server(SERVER_PORTS.mongo),
      kafka: server(SERVER_PORTS.kafka),
      objects: server(SERVER_PORTS.s3),
      speech: server(SERVER_PORTS.speech),
      edge: FROM_EDGE,
    },
    services: Object.fromEntries(services),
  };
}
