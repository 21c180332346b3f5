import type { MetricDefinition } from './metric.ts';

const SLOT = {
  'recording.slot.kind':
    '`media`, `transcript` (jobs), `inspect`, `webhook` (attempts), `upload` (requests at the gateway), `export`, `search`',
} as const;

/** Metrics of a process: its resources, its limits and its use of them. */
export const PROCESS = {
  'recording.slots.limit': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'How much of a kind a process does at once at most.',
    attributes: SLOT,
  },
  'recording.slots.used': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'How much of a kind a process does at present.',
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
    description: 'Memory of this process that is in RAM.',
    attributes: {},
  },
  'recording.memory.limit': {
    kind: 'gauge',
    unit: 'By',
    description: 'Memory that this process may use: its container’s limit, else the machine’s memory.',
    attributes: {},
  },
  'process.open_file_descriptor.count': {
    kind: 'gauge',
    unit: '{file_descriptor}',
    description: 'File descriptors that this process has open.',
    attributes: {},
  },
  'recording.file_descriptor.limit': {
    kind: 'gauge',
    unit: '{file_descriptor}',
    description: 'File descriptors that this process may have open.',
    attributes: {},
  },
  'recording.sockets': {
    kind: 'gauge',
    unit: '{socket}',
    description: 'Sockets among the file descriptors that are open, of the first 5,000 of these.',
    attributes: {},
  },
  'recording.disk.free': {
    kind: 'gauge',
    unit: '1',
    description: 'The free share of the disk on which a service works, of which 16 GiB count at most.',
    attributes: { 'recording.disk': '`work`' },
  },
  'recording.clock.offset': {
    kind: 'gauge',
    unit: 's',
    description: 'This machine’s clock minus the database’s. Of services with a database.',
    attributes: {},
  },
  'recording.telemetry.dropped': {
    kind: 'counter',
    unit: '{record}',
    description: 'What was not sent, because the collector was slower than what there was to send, or away.',
    attributes: { 'recording.signal': '`traces`, `metrics`, `logs`' },
  },
} as const satisfies Record<string, MetricDefinition>;
