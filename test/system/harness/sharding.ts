import type { Sharding } from '@recording-request/kit-mongo/shard-keys';
import { sharding as projects } from '@recording-request/projects/store/shard-keys';
import { sharding as submissions } from '@recording-request/submissions/store/shard-keys';
import { sharding as webhooks } from '@recording-request/webhooks/store/shard-keys';

/** The shard keys of each database. */
export const shardings: Record<string, Sharding> = { projects, submissions, webhooks };
