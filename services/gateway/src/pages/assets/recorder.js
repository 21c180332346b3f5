// The recorder: one take at a time is recorded, looked at, and sent as a tus upload that resumes after a lost connection.
const section = document.querySelector('#recorder');
const settings = JSON.parse(section.dataset.settings);
const base = location.pathname.replace(/\/+$/, '');
const storageKey = `response:${base}`;
const element = id => document.querySelector(`#${id}`);
const CHUNK_BYTES = 8 * 1024 * 1024;
const RETRIES = 20;
const TUS = { 'Tus-Resumable': '1.0.0' };

let response;
let answer;
let take;
let recorder;

const say = text => {
  element('state').textContent = text;
};
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));

async function call(path, options = {}) {
  const answered = await fetch(base + path, {
    ...options,
    headers: { ...(options.body ? { 'content-type': 'application/json' } : {}), ...options.headers },
  });
  const body = answered.status === 204 ? undefined : await answered.json().catch(() => undefined);
  if (!answered.ok) throw new Error(body?.error ?? `The server answered ${answered.status}.`);
  return body;
}

for (const touch of ['pointerdown', 'keydown']) {
  addEventListener(touch, () => fetch(`${base}/opened`, { method: 'POST' }).catch(() => {}), { once: true });
}

async function begin() {
  if (response) return;
  // The id is made here, so that a second try of the same begin does not take a second use of the link.
  const responseSessionId = localStorage.getItem(storageKey) ?? crypto.randomUUID();
  localStorage.setItem(storageKey, responseSessionId);
  const termsAccepted = element('terms')?.checked ?? false;
  show(await call('/responses', { method: 'POST', body: JSON.stringify({ responseSessionId, termsAccepted }) }));
}

function show(now) {
  response = now;
  if (response.complete) return finish();
  answer = response.answers.find(each => each.submissionId === null);
  const { questions } = response;
  element('question').textContent =
    questions.length > 0
      ? `${answer.questionIndex + 1} of ${questions.length}: ${questions[answer.questionIndex]}`
      : '';
}

function finish() {
  if (response.thankYouUrl) location.assign(response.thankYouUrl);
  element('controls').hidden = true;
  say(settings.successMessage || 'Your recording has been sent. You can close this page.');
}

async function record() {
  await begin();
  if (response.complete) return;
  const stream = await navigator.mediaDevices.getUserMedia({ video: true, audio: true });
  const preview = element('preview');
  preview.srcObject = stream;
  preview.muted = true;
  await preview.play();
  const chunks = [];
  const type = ['video/webm', 'video/mp4'].find(each => MediaRecorder.isTypeSupported(each)) ?? '';
  recorder = new MediaRecorder(stream, type ? { mimeType: type } : undefined);
  recorder.ondataavailable = event => chunks.push(event.data);
  recorder.onstop = () => {
    for (const track of stream.getTracks()) track.stop();
    preview.srcObject = null;
    review(new Blob(chunks, { type: recorder.mimeType }));
  };
  recorder.start(1000);
  setTimeout(() => recorder.state === 'recording' && recorder.stop(), response.maxDurationSec * 1000);
  element('record').disabled = true;
  element('stop').disabled = false;
  element('send').disabled = true;
  say('Recording. It is not sent yet.');
}

function review(blob) {
  take = blob;
  const preview = element('preview');
  preview.src = URL.createObjectURL(blob);
  preview.muted = false;
  preview.controls = true;
  element('record').disabled = false;
  element('record').textContent = 'Record again';
  element('stop').disabled = true;
  element('send').disabled = false;
  say('Look at your take. It is not sent yet.');
}

const encode = text => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

async function createUpload(blob) {
  const metadata = { responseSessionId: response.responseSessionId, filetype: blob.type || 'video/webm' };
  if (answer.questionIndex !== null) metadata.questionIndex = String(answer.questionIndex);
  const note = element('note')?.value.trim();
  if (note) metadata.note = note;
  const created = await fetch(`${base}/uploads`, {
    method: 'POST',
    headers: {
      ...TUS,
      'Upload-Length': String(blob.size),
      'Upload-Metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${encode(value)}`)
        .join(','),
    },
  });
  if (!created.ok) throw await refusal(created);
  return new URL(created.headers.get('Location'), location.href);
}

async function refusal(answered) {
  const body = await answered.json().catch(() => undefined);
  return Object.assign(new Error(body?.error ?? `The server answered ${answered.status}.`), {
    final: answered.status >= 400 && answered.status < 500 && ![409, 423, 429].includes(answered.status),
  });
}

async function sendBytes(url, blob) {
  let offset = 0;
  for (let tries = 0; offset < blob.size; ) {
    try {
      const sent = await fetch(url, {
        method: 'PATCH',
        headers: { ...TUS, 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
        body: blob.slice(offset, offset + CHUNK_BYTES),
      });
      if (!sent.ok) throw await refusal(sent);
      offset = Number(sent.headers.get('Upload-Offset') ?? blob.size);
      tries = 0;
      say(`Sending: ${Math.floor((100 * offset) / blob.size)} %`);
    } catch (error) {
      if (error.final || ++tries > RETRIES) throw error;
      say('The connection was lost; trying again. Keep this page open.');
      await wait(Math.min(10_000, 500 * 2 ** tries));
      const head = await fetch(url, { method: 'HEAD', headers: TUS }).catch(() => undefined);
      if (head?.ok) offset = Number(head.headers.get('Upload-Offset'));
    }
  }
}

async function send() {
  const sent = take;
  for (const id of ['record', 'send']) element(id).disabled = true;
  await begin();
  if (response.complete) return;
  const { questionIndex } = answer;
  const url = await createUpload(sent);
  await sendBytes(url, sent);
  const id = url.pathname.split('/').at(-1);
  for (;;) {
    const now = await call(`/responses/${response.responseSessionId}`);
    const mine = now.answers.find(each => each.questionIndex === questionIndex);
    const upload = mine?.uploads.find(each => each.uploadId === id);
    if (mine?.submissionId) {
      take = undefined;
      say('Sent.');
      show(now);
      break;
    }
    if (upload?.state === 'refused') throw new Error(upload.error ?? 'The recording could not be used.');
    say('Almost there: it has arrived and is being checked.');
    await wait(1000);
  }
  element('record').disabled = false;
  element('record').textContent = 'Record';
}

const safely = work => () =>
  work().catch(error => {
    say(error.message);
    element('record').disabled = false;
    element('send').disabled = take === undefined;
  });

element('record').addEventListener('click', safely(record));
element('send').addEventListener('click', safely(send));
element('stop').addEventListener('click', () => recorder?.stop());
element('file').addEventListener('change', event => {
  const [file] = event.target.files;
  if (file) review(file);
});
addEventListener('beforeunload', event => {
  if (take !== undefined) event.preventDefault();
});

// A response that was begun on this device goes on, even where the link takes no new ones.
const begun = localStorage.getItem(storageKey);
if (begun) {
  call(`/responses/${begun}`)
    .then(now => {
      element('controls').hidden = false;
      show(now);
    })
    .catch(() => {});
}
