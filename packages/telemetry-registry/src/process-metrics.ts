import type { MetricDefinition } from './metric.ts';

const SLOT = {
  'recording.slot.kind':
    '`media`, `transcript` (jobs), `inspect`, `webhook` (attempts), `upload`, `video`, `list` (requests at the gateway), `export`, `search`',
} as const;

/** Metrics of a process: its resources, its limits and its use of them. */
export const PROCESS = {
  'recording.slots.limit': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'The maximum of concurrent work of a kind in a process.',
    attributes: SLOT,
  },
  'recording.slots.used': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'The current concurrent work of a kind in a process.',
    attributes: SLOT,
  },
  'process.cpu.time': {
    kind: 'counter',
    unit: 's',
    description: 'CPU time of this process, without its children.',
    attributes: { 'cpu.mode': '`user`, `system`' },
  },
  'process.memory.usage': {
    kind: 'gauge',
    unit: 'By',
    description: 'Resident memory of this process.',
    attributes: {},
  },
  'recording.memory.limit': {
    kind: 'gauge',
    unit: 'By',
    description: 'The memory limit of this process: its container’s, else the machine’s memory.',
    attributes: {},
  },
  'process.open_file_descriptor.count': {
    kind: 'gauge',
    unit: '{file_descriptor}',
    description: 'Open file descriptors of this process.',
    attributes: {},
  },
  'recording.file_descriptor.limit': {
    kind: 'gauge',
    unit: '{file_descriptor}',
    description: 'The limit of open file descriptors of this process.',
    attributes: {},
  },
  'recording.sockets': {
    kind: 'gauge',
    unit: '{socket}',
    description: 'Sockets among the first 5,000 open file descriptors.',
    attributes: {},
  },
  'recording.disk.free': {
    kind: 'gauge',
    unit: '1',
    description: 'The free share of a service’s working disk, of which at most 16 GiB count.',
    attributes: { 'recording.disk': '`work`' },
  },
  'recording.clock.offset': {
    kind: 'gauge',
    unit: 's',
    description: 'This machine’s clock minus the database’s; only services with a database report it.',
    attributes: {},
  },
  'recording.telemetry.dropped': {
    kind: 'counter',
    unit: '{record}',
    description: 'Records that were not sent, because the collector was too slow or down.',
    attributes: { 'recording.signal': '`traces`, `metrics`, `logs`' },
  },
} as const satisfies Record<string, MetricDefinition>;
