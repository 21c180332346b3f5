// npm install @recording-request/client tus-js-client
// TOKEN=api_… node start.mts [clip.webm]
import { createReadStream, existsSync } from 'node:fs';
import { RecordingRequest } from '@recording-request/client';
import { saveTo } from '@recording-request/client/files';

// Ends the program with the sentence of an error.
process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exit(1);
});

const { TOKEN } = process.env;
if (!TOKEN) throw new Error('Set TOKEN to your API token.');
const [file] = process.argv.slice(2);
if (file && !existsSync(file)) throw new Error(`There is no file ${file}.`);
const client = new RecordingRequest({ baseUrl: 'https://record.example', token: TOKEN });

// 1. Create a project with one link.
const project = await client.projects.create({ projectName: 'My first project', count: 1, sandbox: true });
const { projectId } = project;
const link = project.recipientUrls[0]!.recipientUrl;
console.log(`Open ${link} and record.`);

// 2. Record: in the browser, or here with a file.
if (file) {
  const recorder = client.recorder(link);
  const { responseSessionId } = await recorder.begin({ termsAccepted: true });
  await recorder.upload(createReadStream(file), { responseSessionId });
}

// 3. Wait until the video is ready.
const types = ['submission.media.completed', 'submission.media.failed'];
for await (const { submissionId } of client.events({ projectId, types })) {
  // 4. Save it. saveTo checks the SHA-256.
  const video = client.submissions.video(projectId, submissionId!);
  const { fileName = 'clip' } = await video.info();
  const { sha256 } = await saveTo(video, fileName);
  console.log(`${sha256}  ${fileName}`);
  break;
}
