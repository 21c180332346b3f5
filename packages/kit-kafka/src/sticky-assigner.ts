import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

export interface Member {
  id: string;
  /** The partitions that it has, those in which it has work first. */
  held: number[];
}

/**
 * Shares partitions out evenly. A member keeps what it has as far as that goes, so that work stays where it runs when
 * another member joins or leaves.
 */
export function sharePartitions(members: readonly Member[], partitions: readonly number[]): Map<string, number[]> {
  const free = new Set(partitions);
  const least = Math.floor(partitions.length / members.length);
  let oneMore = partitions.length % members.length;
  const shares = new Map<string, number[]>();
  const sorted = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const keep = (share: number[], held: readonly number[], count: number) => {
    for (const partition of held) if (share.length < count && free.delete(partition)) share.push(partition);
  };
  for (const { id, held } of sorted) {
    const share: number[] = [];
    shares.set(id, share);
    keep(share, held, least);
  }
  for (const { id, held } of sorted) {
    const share = shares.get(id)!;
    if (oneMore > 0) keep(share, held, least + 1);
    if (share.length > least) oneMore -= 1;
  }
  for (const partition of free) {
    const smallest = [...shares.values()].reduce((a, b) => (b.length < a.length ? b : a));
    smallest.push(partition);
  }
  return shares;
}

/** The name of this assigner, which every member of a group of ours knows. */
export const STICKY = 'kit-sticky';
const VERSION = 0;
const { MemberMetadata, MemberAssignment } = AssignerProtocol;

/** The assigner of a member that takes one topic. `held` is called whenever the member joins its group. */
export function stickyAssigner(held: () => number[]): PartitionAssigner {
  return ({ cluster }) => ({
    name: STICKY,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: STICKY,
      metadata: MemberMetadata.encode({ version: VERSION, topics, userData: Buffer.from(JSON.stringify(held())) }),
    }),
    async assign({ members, topics: [topic = ''] }) {
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const known = members.map(({ memberId, memberMetadata }) => ({ id: memberId, held: heldIn(memberMetadata) }));
      return [...sharePartitions(known, partitions)].map(([memberId, share]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({
          version: VERSION,
          assignment: { [topic]: share },
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}

function heldIn(metadata: Buffer): number[] {
  try {
    return JSON.parse(String(MemberMetadata.decode(metadata)?.userData));
  } catch {
    // It has nothing yet, or says so in words of another version.
    return [];
  }
}
