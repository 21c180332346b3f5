const MIB = 1024 ** 2;

/** The maximum numbers of concurrent jobs and inspections. */
export interface Slots {
  jobs: number;
  inspections: number;
}

/** Memory limits of one run, in bytes: for a tool in a job, and for ffprobe in an inspection. */
export interface ToolMemory {
  toolBytes: number;
  probeBytes: number;
}

// The memory of this process, and of the buffers of one job's transfers.
const OWN_BYTES = 256 * MIB;
const TRANSFER_BYTES = 32 * MIB;
// An inspection runs two ffprobe processes at the same time: one scans the packets, the other decodes the first
// picture.
const PROBES_AT_ONCE = 2;
// The default is enough for 7680 × 4320 in every codec, one thumbnail at a time; the minimum is enough for some codecs
// at 3840 × 2160.
const TOOL_BYTES = 896 * MIB;
const LEAST_TOOL_BYTES = 256 * MIB;
// A picture of 7680 × 4320 needs 192 MiB in HEVC with 10 bits, and less than 160 MiB in other codecs.
const PROBE_BYTES = 224 * MIB;
const LEAST_PROBE_BYTES = 160 * MIB;

/** Returns the peak memory of all concurrent runs, in bytes. */
export const mostMemory = ({ jobs, inspections }: Slots, { toolBytes, probeBytes }: ToolMemory): number =>
  OWN_BYTES + jobs * (TRANSFER_BYTES + toolBytes) + inspections * PROBES_AT_ONCE * probeBytes;

/**
 * Returns the limits of the runs. Uses a limit in `set` unchanged. Chooses the other limits so that all concurrent runs
 * fit into `limitBytes`, if this leaves enough for ffmpeg.
 */
export function toolMemory(slots: Slots, limitBytes: number, set: Partial<ToolMemory>): ToolMemory {
  const forProbes = limitBytes - mostMemory(slots, { toolBytes: LEAST_TOOL_BYTES, probeBytes: 0 });
  const probeShare = Math.floor(forProbes / (slots.inspections * PROBES_AT_ONCE));
  const probeBytes = set.probeBytes ?? Math.min(PROBE_BYTES, Math.max(LEAST_PROBE_BYTES, probeShare));
  const rest = limitBytes - mostMemory(slots, { toolBytes: 0, probeBytes });
  const share = Math.floor(rest / slots.jobs);
  return { probeBytes, toolBytes: set.toolBytes ?? Math.min(TOOL_BYTES, Math.max(LEAST_TOOL_BYTES, share)) };
}
