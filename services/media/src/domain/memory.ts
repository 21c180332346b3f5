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
// Enough for pictures of 7680 × 4320 in every codec, one thumbnail at a time; with the least those of 3840 × 2160 have some.
const TOOL_BYTES = 896 * MIB;
const LEAST_TOOL_BYTES = 256 * MIB;
// HEVC in 10 bits takes 192 MiB for a picture of 7680 × 4320, other codecs less than 160.
const PROBE_BYTES = 224 * MIB;
const LEAST_PROBE_BYTES = 160 * MIB;

/** Returns the most memory, in bytes, that everything takes that runs at once. */
export const mostMemory = ({ jobs, inspections }: Slots, { toolBytes, probeBytes }: ToolMemory): number =>
  OWN_BYTES + jobs * (TRANSFER_BYTES + toolBytes) + inspections * PROBES_AT_ONCE * probeBytes;

/**
 * Returns the limits of the runs: those that are `set`, others so that all runs together fit into `limitBytes`, where that
 * leaves ffmpeg enough to work with.
 */
export function toolMemory(slots: Slots, limitBytes: number, set: Partial<ToolMemory>): ToolMemory {
  const forProbes = limitBytes - mostMemory(slots, { toolBytes: LEAST_TOOL_BYTES, probeBytes: 0 });
  const probeShare = Math.floor(forProbes / (slots.inspections * PROBES_AT_ONCE));
  const probeBytes = set.probeBytes ?? Math.min(PROBE_BYTES, Math.max(LEAST_PROBE_BYTES, probeShare));
  const rest = limitBytes - mostMemory(slots, { toolBytes: 0, probeBytes });
  const share = Math.floor(rest / slots.jobs);
  return { probeBytes, toolBytes: set.toolBytes ?? Math.min(TOOL_BYTES, Math.max(LEAST_TOOL_BYTES, share)) };
}
