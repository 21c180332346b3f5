import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProjectSettings } from '@recording-request/proto/projects/v1/projects';
import { createProjectChecks } from './project-checks.ts';
import {
  DETAIL_SETTINGS,
  PRIVATE_SETTINGS,
  pick,
  SETTING_DEFAULTS,
  SETTING_NAMES,
  type SettingInputs,
  type Settings,
  SUMMARY_SETTINGS,
} from './project-settings.ts';

const checks = createProjectChecks({ allowHttpUrls: false });
const broken = (settings: object) => checks.update(settings);

test('the message ProjectSettings has the settings of the table, with the same types', () => {
  const empty = ProjectSettings.decode(new Uint8Array());
  assert.deepEqual(Object.keys(empty).sort(), [...SETTING_NAMES].sort());
  const other = (value: unknown) => {
    if (Array.isArray(value)) return ['a', 'b'];
    if (typeof value === 'object' && value !== null)
      return 'accent' in value ? { name: 'a', accent: 'b' } : { afterDays: [3, 7], beforeDueHours: [24] };
    if (typeof value === 'string') return 'a';
    return typeof value === 'number' ? 7 : true;
  };
  const values = Object.fromEntries(SETTING_NAMES.map(name => [name, other(SETTING_DEFAULTS[name])]));
  const sent = ProjectSettings.decode(ProjectSettings.encode(values as unknown as Settings).finish());
  assert.deepEqual(sent, values);
});

test('an answer shows every setting, once', () => {
  assert.deepEqual([...SUMMARY_SETTINGS, ...DETAIL_SETTINGS, ...PRIVATE_SETTINGS].sort(), [...SETTING_NAMES].sort());
});

test('a body without a setting is valid with its default, and the defaults are valid', () => {
  const { projectName: _, ...defaults } = SETTING_DEFAULTS;
  assert.equal(checks.creation({ ...defaults, projectName: 'x', count: 1 }), undefined);
  assert.equal(checks.creation({ projectName: 'x', count: 1 }), undefined);
  assert.deepEqual(pick({ a: 1, b: undefined, c: 3 }, ['a', 'b']), { a: 1 });
});

test('an update takes no field that is fixed at creation', () => {
  assert.match(broken({ sharedLinkEnabled: true }) ?? '', /^"sharedLinkEnabled" is not a field/);
  assert.match(broken({ count: 1 }) ?? '', /^"count" is not a field/);
});

test('each limit holds at its edge, and the sentence names the field', () => {
  const edges: [keyof SettingInputs, unknown, unknown][] = [
    ['projectName', 'x'.repeat(200), 'x'.repeat(201)],
    ['projectName', ' x ', '   '],
    ['maxDurationSec', 600, 601],
    ['maxDurationSec', 1, 0],
    ['timeFactor', 1, 0.99],
    ['timeFactor', 3, 3.01],
    ['timeFactor', 1.25, '1.25'],
    ['timeFactor', 2, null],
    ['sharedLinkMaxUses', 1_000_000, 1_000_001],
    ['sharedLinkMaxUses', 1, 0],
    ['sharedLinkMaxUses', 1, null],
    ['termsLabel', 'x'.repeat(200), 'x'.repeat(201)],
    ['termsText', 'x'.repeat(20_000), 'x'.repeat(20_001)],
    ['successMessage', 'x'.repeat(2_000), 'x'.repeat(2_001)],
    ['script', `- one\n\n- two ${'語'.repeat(19_987)}`, 'x'.repeat(20_001)],
    ['script', '', 'a\u0000'],
    ['answerModes', ['audio'], []],
    ['answerModes', ['file', 'video', 'audio'], ['video', 'video']],
    ['answerModes', ['video'], ['text']],
    ['answerModes', ['file'], 'file'],
    ['interviewQuestions', Array(50).fill('Q'), Array(51).fill('Q')],
    ['interviewQuestions', ['x'.repeat(500)], ['x'.repeat(501)]],
    ['interviewQuestions', [], ['']],
    ['transcriptionLanguage', 'de', 'xx'],
    ['transcriptionLanguage', '', 'german'],
    ['requestUrl', 'https://example.org/a', 'http://example.org/a'],
    ['requestUrl', '', 'example.org'],
    ['webhookUrl', `https://example.org/${'x'.repeat(2_028)}`, `https://example.org/${'x'.repeat(2_029)}`],
    ['webhookUrl', 'https://[::1]/', 'javascript:alert(1)'],
    ['webhookUrl', 'https://example.org/%0d%0a', 'https://example.org\r\n/'],
    ['webhookUrl', 'https://example.org/a@b?c@d', 'https://user:secret@example.org/'],
    ['webhookUrl', 'https://example.org/%20', 'https://exam\tple.org/ '],
    ['webhookEvents', ['submission.erased', 'response.completed'], ['response.completed', 'response.completed']],
    ['webhookEvents', [], ['submission.completed']],
    ['requestUrl', 'https://user@example.org/', 'https://example.org/a b'],
    ['requestUrl', 'https://user:0@example.org/', 'https://example.org:0/'],
    ['webhookUrl', 'https://example.org:80/:0', 'https://example.org:00'],
    ['webhookUrl', 'https://example.org/%5C', 'https://example.org\\@example.com/'],
    ['returnUrl', 'https://a.example/{reference}?c={code}&s={submissionId}#x', 'https://{code}.example/'],
    ['returnUrl', 'https://a.example?{code}', 'https://a.example/#{code}'],
    ['returnUrl', '', 'https://a.example/{secret}'],
    ['returnUrl', `https://a.example/${'x'.repeat(2_030)}`, `https://a.example/${'x'.repeat(2_031)}`],
    ['returnUrl', 'https://a.example:8443', 'https://a.example\\@b.example/'],
    ['returnUrl', 'https://a.example/@b', 'https://user@a.example/'],
    ['returnUrl', 'https://[::1]/', 'https://[::1/'],
    ['returnUrl', 'HTTPS://a.example', 'http://a.example'],
    ['acceptReference', true, 'yes'],
    ['brand', { name: 'x'.repeat(60), accent: '#8C2F39' }, { name: 'x'.repeat(61) }],
    ['brand', null, []],
    ['brand', {}, { logoUrl: '' }],
    // The contrast of #949494 with white is 3.03, that of #959595 2.99.
    ['brand', { accent: '#949494' }, { accent: '#959595' }],
    ['brand', { accent: '' }, { accent: 'red' }],
    ['projectName', 'two\twords', 'x\u0000'],
    ['termsLabel', 'a\nb', 'a\u0000b'],
    ['termsText', 'a\r\nb', '\u001b[31m'],
    ['successMessage', 'Grüße 🎬', '\u007f'],
    ['interviewQuestions', ['a\nb'], ['a\u0000']],
  ];
  for (const [field, good, bad] of edges) {
    assert.equal(broken({ [field]: good }), undefined, `${field} at its edge`);
    assert.match(broken({ [field]: bad }) ?? '', new RegExp(field));
  }
  assert.equal(broken({ termsLabel: '😀'.repeat(200) }), undefined, 'characters, not UTF-16 units');
  const { update } = createProjectChecks({ allowHttpUrls: true });
  assert.equal(update({ webhookUrl: 'http://127.0.0.1/' }), undefined);
  assert.match(update({ webhookUrl: 'ftp://127.0.0.1/' }) ?? '', /webhookUrl/);
});

test('a colour that is too light is refused with what to change', () => {
  assert.match(
    broken({ brand: { accent: '#ffd700' } }) ?? '',
    /^brand\.accent must .*3:1 or more \(choose a darker one\)/,
  );
});

test('count and secret have their limits', () => {
  const counted = (count: number) => checks.creation({ projectName: 'x', count });
  assert.match(counted(0) ?? '', /count/);
  assert.match(counted(10_001) ?? '', /count .*10000/);
  assert.equal(counted(10_000), undefined);
  assert.match(broken({ webhookSecret: 'x'.repeat(513) }) ?? '', /webhookSecret/);
  assert.match(broken({ webhookSecret: 'whsec_!!!!' }) ?? '', /webhookSecret .* leave out whsec_\.$/);
  assert.equal(broken({ webhookSecret: 'x'.repeat(512) }), undefined);
});
