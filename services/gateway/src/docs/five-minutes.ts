import { LIMITS } from '@recording-request/contract/limits';
import { INSTALL_CLIENTS, RUN_TYPESCRIPT } from './install-clients.ts';
import { sampleBlock } from './read-sample.ts';

/** The guide from nothing to a clip on the reader's disk. A test runs its commands and programs unchanged. */
export const FIVE_MINUTES = `# Five minutes to your first clip

You need an API token (\`api_…\`) from the operator of this service, and a camera, or a video of at most ${LIMITS.sandboxDurationSec} seconds as \`clip.webm\`. This command makes
one: \`ffmpeg -f lavfi -i testsrc=duration=5 clip.webm\`.

The project below is a sandbox: it uses nothing of your allowance, and is erased after a day. Each run creates one, and you can create ${LIMITS.sandboxes} sandboxes a
day. Leave out \`sandbox\` for a real one.

Choose one: [curl](#curl), [TypeScript](#typescript), [Python](#python), or [the command line](#the-command-line). Without any of them, create a project
on [the page \`/new\`](/new), which also shows the same call for curl.

${INSTALL_CLIENTS}

## curl

1. Create a project with one link. The address in the output is the link: open it on any device and record, or send it to
   somebody.

\`\`\`sh
BASE=https://record.example
TOKEN=\${TOKEN:-api_...}   # your token
api() { curl -sS --fail-with-body -H "Authorization: Bearer $TOKEN" "$@"; }
field() { grep -o "\\"$1\\":\\"[^\\"]*\\"" | head -1 | cut -d'"' -f4; }
rm -f sent.json
api "$BASE/api/projects" -H 'Content-Type: application/json' \\
  -d '{"projectName": "My first project", "count": 1, "sandbox": true}' > project.json || cat project.json
PROJECT=$(field projectId < project.json)
LINK=$(field recipientUrl < project.json)
echo "$LINK"
\`\`\`

2. Without a camera, send a file through the link, as the page does:

\`\`\`sh
curl -sS --fail-with-body "\${LINK:?has no value: see the error of step 1}/responses" -H 'Content-Type: application/json' \\
  -d '{"termsAccepted": true}' > response.json || cat response.json
RESPONSE=$(field responseSessionId < response.json)
curl -sS --fail-with-body -X POST "\${LINK:?}/uploads" -H 'Tus-Resumable: 1.0.0' -H "Upload-Length: $(($(wc -c < clip.webm)))" \\
  -H "Upload-Metadata: responseSessionId $(printf %s "$RESPONSE" | base64)" \\
  -H 'Content-Type: application/offset+octet-stream' --data-binary @clip.webm > sent.json || cat sent.json
\`\`\`

3. Wait until the video is ready, and save it. After a refusal, the loop ends: go back to step 2 with another file. The two texts at the end are
   equal: the ETag is the SHA-256 of the file.

\`\`\`sh
echo > clips.json
until grep -Eqs '"mediaStatus":"(ready|failed)"|"error":' clips.json sent.json; do
  sleep 1
  api "$BASE/api/projects/\${PROJECT:?has no value: see the error of step 1}/submissions" > clips.json || { cat clips.json; break; }
done
CLIP=$(field submissionId < clips.json)
api -o my-clip.part --etag-save clip.etag "$BASE/api/projects/\${PROJECT:?}/submissions/\${CLIP:?has no value: see the error above}/video" &&
  mv my-clip.part my-clip.webm && sha256sum my-clip.webm && cat clip.etag
\`\`\`

## TypeScript

The program prints the link and waits for the clip. With \`clip.webm\` it also records. ${RUN_TYPESCRIPT}

${sampleBlock('ts', 'start.mts')}
## Python

${sampleBlock('python', 'start.py')}
## The command line

\`\`\`sh rr
export RR_BASE_URL=https://record.example RR_TOKEN=$TOKEN
rr trigger submission.media.completed   # sends a clip that comes with the command, to a sandbox
rr pull "rr trigger" mirrored           # the name of that sandbox
\`\`\`

## Then

Invite people from a table, and remind them: [People and reminders](/api/docs/people). Get an event for each clip: [Receive webhooks](/api/docs/webhooks).
Keep a copy of everything: [Mirror everything to your bucket](/api/docs/mirror).
`;
