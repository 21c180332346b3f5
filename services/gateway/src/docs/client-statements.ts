/**
 * The TypeScript of each operation: statements of `@recording-request/client`, by operationId. `$body` and `$query` stand
 * for the examples of the operation. Tests compile every statement, run it, and compare its requests with the operation.
 */
const OWNER: Record<string, string> = {
  getCurrentUser: 'const me = await client.me();',
  updateCurrentUser: 'const me = await client.updateMe($body);',
  listProjects: 'for await (const project of client.projects.list($query)) console.log(project.projectName);',
  createProject: 'const project = await client.projects.create($body);',
  getProject: 'const project = await client.projects.get(projectId);',
  updateProject: 'const project = await client.projects.update(projectId, $body);',
  setLogo: "const project = await client.projects.setLogo(projectId, await readFile('logo.png'));",
  removeLogo: 'const project = await client.projects.removeLogo(projectId);',
  getLogo: "await saveTo(client.projects.logo(projectId), 'logo.png');",
  closeProject: 'const project = await client.projects.close(projectId);',
  reopenProject: 'const project = await client.projects.reopen(projectId);',
  rotateDashboardToken: 'const rotated = await client.projects.rotateDashboardToken(projectId);',
  eraseProject: `const { confirm } = await client.projects.erase(projectId); // Erases nothing yet.
if (confirm) await client.projects.erase(projectId, { confirm });`,
  getErasure: 'const { state, left } = await client.projects.erasure(projectId);',

  listLinks: 'for await (const link of client.links.list(projectId, $query)) console.log(link.recipientUrl);',
  addLinks: 'const { created, skipped } = await client.links.add(projectId, $body);',
  updateLink: 'const link = await client.links.update(projectId, tokenId, $body);',
  remindLink: 'const { remindersSent } = await client.links.remind(projectId, tokenId);',
  actOnLinks: 'const { done, links } = await client.links.act(projectId, $body);',
  exportLinksCsv: "await saveTo(client.links.csv(projectId, $query), 'links.csv');",
  getSharedLinkQrCode: "await saveTo(client.links.qrCode(projectId), 'qr.png');",
  eraseLink: `const { confirm } = await client.links.erase(projectId, tokenId); // Erases nothing yet.
if (confirm) await client.links.erase(projectId, tokenId, { confirm });`,

  listSubmissions:
    'for await (const clip of client.submissions.list(projectId, $query)) console.log(clip.submissionId);',
  getSubmission: 'const clip = await client.submissions.get(projectId, submissionId);',
  updateSubmission: 'const clip = await client.submissions.update(projectId, submissionId, $body);',
  getReview: 'const { rating, notes } = await client.submissions.review(projectId, submissionId);',
  rateSubmission: 'const { rating } = await client.submissions.rate(projectId, submissionId, $body);',
  addNote: 'const { notes } = await client.submissions.addNote(projectId, submissionId, $body);',
  removeNote: 'const { notes } = await client.submissions.removeNote(projectId, submissionId, noteId);',
  requestTranscript: 'const clip = await client.submissions.requestTranscript(projectId, submissionId);',
  requestMedia: 'const clip = await client.submissions.requestMedia(projectId, submissionId);',
  eraseSubmission: `const { confirm } = await client.submissions.erase(projectId, submissionId); // Erases nothing yet.
if (confirm) await client.submissions.erase(projectId, submissionId, { confirm });`,
  getVideo: "await saveTo(client.submissions.video(projectId, submissionId), 'video.webm');",
  headVideo: 'const { size, sha256 } = await client.submissions.video(projectId, submissionId).info();',
  getAudio: "await saveTo(client.submissions.audio(projectId, submissionId), 'audio.m4a');",
  headAudio: 'const { size, sha256 } = await client.submissions.audio(projectId, submissionId).info();',
  getThumbnailStart: "await saveTo(client.submissions.thumbnail(projectId, submissionId, 'start'), 'start.jpg');",
  getThumbnailMiddle: "await saveTo(client.submissions.thumbnail(projectId, submissionId, 'middle'), 'middle.jpg');",
  getThumbnailEnd: "await saveTo(client.submissions.thumbnail(projectId, submissionId, 'end'), 'end.jpg');",
  getTranscriptText: "const text = await client.submissions.transcript(projectId, submissionId, 'txt').text();",
  getTranscriptVtt: "await saveTo(client.submissions.transcript(projectId, submissionId, 'vtt'), 'transcript.vtt');",
  getTranscriptSrt: "await saveTo(client.submissions.transcript(projectId, submissionId, 'srt'), 'transcript.srt');",

  exportJson: "await saveTo(client.exports.json(projectId, $query), 'export.json');",
  exportCsv: "await saveTo(client.exports.csv(projectId, $query), 'submissions.csv');",
  exportZip: "await saveTo(client.exports.zip(projectId, $query), 'project.zip'); // A later call resumes it.",
  headZip: 'const { size } = await client.exports.zip(projectId, $query).info();',
  exportTranscripts: "await saveTo(client.exports.transcripts(projectId, $query), 'transcripts.txt');",
  exportTranscriptsZip: "await saveTo(client.exports.transcriptsZip(projectId, $query), 'transcripts.zip');",

  listWebhookDeliveries:
    'for await (const delivery of client.webhooks.deliveries(projectId, $query)) console.log(delivery.state);',
  redeliverWebhook: 'const delivery = await client.webhooks.redeliver(projectId, deliveryId);',
  redeliverWebhooks: 'const { count } = await client.webhooks.redeliverAll(projectId, $body);',
  testWebhook: 'const { state, attempts } = await client.webhooks.test(projectId, $body);',
  listEvents: `const { events, nextCursor } = await client.eventsPage($query);
// Or follow the feed for ever: for await (const event of client.events({ cursor: fileCursor('events.cursor') })) …`,
};

const DASHBOARD: Record<string, string> = {
  dashboardGetOverview: 'const { project } = await dashboard.overview();',
  dashboardListSubmissions: 'for await (const clip of dashboard.submissions($query)) console.log(clip.submissionId);',
  dashboardGetSubmission: 'const clip = await dashboard.submission(submissionId);',
  dashboardGetReview: 'const { rating, notes } = await dashboard.review(submissionId);',
  dashboardListLinks: 'for await (const link of dashboard.links($query)) console.log(link.status);',
  dashboardGetWebhookEndpoint: 'const endpoint = await dashboard.webhookEndpoint();',
  dashboardGetVideo: "await saveTo(dashboard.video(submissionId), 'video.webm');",
  dashboardHeadVideo: 'const { size, sha256 } = await dashboard.video(submissionId).info();',
  dashboardGetAudio: "await saveTo(dashboard.audio(submissionId), 'audio.m4a');",
  dashboardHeadAudio: 'const { size, sha256 } = await dashboard.audio(submissionId).info();',
  dashboardGetThumbnailStart: "await saveTo(dashboard.thumbnail(submissionId, 'start'), 'start.jpg');",
  dashboardGetThumbnailMiddle: "await saveTo(dashboard.thumbnail(submissionId, 'middle'), 'middle.jpg');",
  dashboardGetThumbnailEnd: "await saveTo(dashboard.thumbnail(submissionId, 'end'), 'end.jpg');",
  dashboardGetTranscriptText: "const text = await dashboard.transcript(submissionId, 'txt').text();",
  dashboardGetTranscriptVtt: "await saveTo(dashboard.transcript(submissionId, 'vtt'), 'transcript.vtt');",
  dashboardGetTranscriptSrt: "await saveTo(dashboard.transcript(submissionId, 'srt'), 'transcript.srt');",
  dashboardExportJson: "await saveTo(dashboard.exportJson(), 'export.json');",
  dashboardExportCsv: "await saveTo(dashboard.exportCsv($query), 'submissions.csv');",
  dashboardExportZip: "await saveTo(dashboard.exportZip(), 'project.zip');",
  dashboardHeadZip: 'const { size } = await dashboard.exportZip().info();',
  dashboardExportSelected: "await saveTo(dashboard.exportSelected(), 'selected.zip');",
  dashboardHeadSelected: 'const { size } = await dashboard.exportSelected().info();',
  dashboardExportTranscripts: "await saveTo(dashboard.exportTranscripts(), 'transcripts.txt');",
  dashboardExportTranscriptsZip: "await saveTo(dashboard.exportTranscriptsZip(), 'transcripts.zip');",
  dashboardGetSharedLinkQrCode: "await saveTo(dashboard.qrCode(), 'qr.png');",
};

const CONTINUED = `// Continues the upload with this id, and waits until the clip has landed.
const sent = await recorder.upload(createReadStream('clip.webm'), {
  responseSessionId,
  address: \`/r/\${token}/uploads/\${uploadId}\`,
});`;

const CONTRIBUTOR: Record<string, string> = {
  openLink: 'await recorder.opened();',
  getScript: 'const text = await recorder.script().text();',
  beginResponse: 'const response = await recorder.begin($body);',
  getResponse: 'const { answers, complete } = await recorder.response(responseSessionId);',
  updateResponse: "await recorder.note(responseSessionId, 'I come every Saturday');",
  createUpload: `// Creates the upload, sends the file, and waits until the clip has landed.
const sent = await recorder.upload(createReadStream('clip.webm'), { responseSessionId });`,
  getUploadOffset: CONTINUED,
  appendToUpload: CONTINUED,
  deleteUpload: `await recorder.discard(\`/r/\${token}/uploads/\${uploadId}\`);`,
};

const DESCRIPTIONS: Record<string, string> = {
  getOpenApi: 'const description = await client.openApi();',
  getDocsPage: "const page = await client.docs('page');",
  getDocs: 'const text = await client.docs();',
  getRecorderDocs: "const page = await client.docs('recorder');",
  getRecorderDocsText: "const text = await client.docs('recorderMarkdown');",
  getLlmsTxt: "const text = await client.docs('llms');",
};

const after = (line: string, statements: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(statements).map(([id, statement]) => [id, `${line}\n${statement}`]));

export const CLIENT_STATEMENTS: Readonly<Record<string, string>> = {
  ...OWNER,
  ...after('const dashboard = client.dashboard(projectToken);', DASHBOARD),
  ...after('const recorder = client.recorder(token);', CONTRIBUTOR),
  ...DESCRIPTIONS,
};
