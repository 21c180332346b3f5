import { INSTALL_CLIENTS, RUN_TYPESCRIPT } from './install-clients.ts';
import { sampleBlock } from './read-sample.ts';

/** The guide about copies in an owner's bucket. A test runs its programs unchanged. */
export const MIRROR = `# Mirror everything to your bucket

These programs keep a copy of every clip of all your projects in an S3 bucket of yours: Amazon S3, MinIO, Cloudflare R2 and others. For a
folder on a disk, use \`rr pull PROJECT DIR --watch\`.

| object | content |
|---|---|
| \`<projectId>/<submissionId>/video\` | the video, with its SHA-256 in \`x-amz-meta-sha256\` |
| \`<projectId>/<submissionId>/clip.json\` | the submission: person, note, transcript, state |
| \`events.cursor\` | the place in the [feed of events](/api/docs.md) |

- **Incremental.** Each start compares everything once, then follows the feed. Only videos whose SHA-256 differs are copied.
- **Resumable.** Stop the program at any moment. A clip appears after all of its bytes were checked, and the place in the feed moves after the clips
  before it.
- **Erasures.** The objects of an erased clip are removed when its event arrives; those of an erased project, at the next start. Only the service
  itself can say that a clip is erased. After any other error, such as the 404 of a proxy, the program removes nothing and ends with a sentence.
- With \`--once\` the program ends when everything is copied, for cron. Without it, the program runs for ever; let a supervisor restart it after a failure.

Create the bucket first, and give it to this program and one owner's token alone: with the token of another owner, the copies look erased and are
removed. Never name the bucket in which the service itself keeps its videos. The program touches only the three names above.

The token needs the scopes \`projects:read\`, \`submissions:read\` and \`events:read\`; the keys of the bucket must allow listing, reading, writing and
deleting. \`S3_REGION\` is \`us-east-1\` by default.

## TypeScript

${INSTALL_CLIENTS} ${RUN_TYPESCRIPT}

${sampleBlock('ts', 'mirror.mts')}
## Python

The signature of S3 takes twenty lines; boto3 has it too.

${sampleBlock('python', 'mirror.py')}`;
