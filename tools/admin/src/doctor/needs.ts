import { CONSUMERS, serviceOfGroup } from '@recording-request/events/topics';
import type { Consumer } from '@recording-request/kit-kafka/inspect';

/** The access of a workload to a database. */
export type Access = 'read' | 'write' | 'migrate';

/** The servers that a workload uses; ARCHITECTURE.md, "Who reaches whom". */
export interface Needs {
  /** Databases, without their prefix. */
  databases?: Readonly<Record<string, Access>>;
  /** Consumer groups with their topics, without their prefix. */
  consumers?: readonly Consumer[];
  /** reach: only the address · create: may create the bucket · read · write · erase: may also remove all versions. */
  objects?: 'reach' | 'create' | 'read' | 'write' | 'erase';
  redis?: true;
  speech?: true;
  telemetry?: true;
  publicUrl?: true;
}

const EACH = ['projects', 'submissions', 'webhooks'] as const;
const consumersOf = (service: string): Consumer[] => CONSUMERS.filter(([, group]) => serviceOfGroup(group) === service);
const each = (access: Access) => Object.fromEntries(EACH.map(name => [name, access]));

export const WORKLOADS = {
  gateway: { objects: 'reach', redis: true, telemetry: true, publicUrl: true },
  projects: { databases: { projects: 'write' }, consumers: consumersOf('projects'), telemetry: true },
  submissions: {
    databases: { submissions: 'write' },
    consumers: consumersOf('submissions'),
    objects: 'erase',
    telemetry: true,
  },
  media: { consumers: consumersOf('media'), objects: 'write', telemetry: true },
  transcription: { consumers: consumersOf('transcription'), objects: 'write', speech: true, telemetry: true },
  webhooks: { databases: { webhooks: 'write' }, consumers: consumersOf('webhooks'), telemetry: true },
  migrate: { databases: each('migrate'), consumers: [], objects: 'create' },
  backup: { databases: { ...each('read'), projects: 'write', submissions: 'write' }, consumers: [], objects: 'read' },
} as const satisfies Record<string, Needs>;

export type Workload = keyof typeof WORKLOADS;

/** The servers of all services, for a machine with the settings of all of them. */
export const EVERYTHING: Needs = {
  databases: each('write'),
  consumers: CONSUMERS,
  objects: 'write',
  redis: true,
  speech: true,
  telemetry: true,
  publicUrl: true,
};
