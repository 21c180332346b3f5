const MIB = 1024 ** 2;

/** How many jobs and inspections run at once. */
export interface Slots {
  jobs: number;
  inspections: number;
}

/** Limits of one run, in bytes: of ffmpeg or ffprobe in a job, and of ffprobe in an inspection. */
export interface ToolMemory {
  toolBytes: number;
  probeBytes: number;
}

// This process, and the buffers of a job's transfers.
const OWN_BYTES = 256 * MIB;
const TRANSFER_BYTES = 32 * MIB;
// The packets are scanned while the first picture is decoded.
const PROBES_AT_ONCE = 2;
// Enough for pictures of 3840 × 2160 in every codec; less than the least and those have no thumbnails.
const TOOL_BYTES = 896 * MIB;
const LEAST_TOOL_BYTES = 256 * MIB;
const PROBE_BYTES = 160 * MIB;

/** Returns the most memory, in bytes, that everything takes that runs at once. */
export const mostMemory = ({ jobs, inspections }: Slots, { toolBytes, probeBytes }: ToolMemory): number =>
  OWN_BYTES + jobs * (TRANSFER_BYTES + toolBytes) + inspections * PROBES_AT_ONCE * probeBytes;

/**
 * Returns the limits of the runs: those that are `set`, others so that all runs together fit into `limitBytes`, where that
 * leaves ffmpeg enough to work with.
 */
export function toolMemory(slots: Slots, limitBytes: number, set: Partial<ToolMemory>): ToolMemory {
  const probeBytes = set.probeBytes ?? PROBE_BYTES;
  const rest = limitBytes - mostMemory(slots, { toolBytes: 0, probeBytes });
  const share = Math.floor(rest / slots.jobs);
  return { probeBytes, toolBytes: set.toolBytes ?? Math.min(TOOL_BYTES, Math.max(LEAST_TOOL_BYTES, share)) };
}
