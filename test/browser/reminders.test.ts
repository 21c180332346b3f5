import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility } from './accessibility.ts';
import { button, ending, heading } from './actions.ts';
import { startTestBrowser, type TestBrowser } from './test-browser.ts';

let harness: TestBrowser;
before(async () => {
  harness = await startTestBrowser();
});
after(() => harness?.[Symbol.asyncDispose]());

test('a person stops the reminders with one button, without a script and in every direction of writing', async () => {
  const project = await harness.project({ count: 2, recipients: [{ locale: 'ar' }] });
  const [arabic, english] = project.urls.map(url => `${url}/reminders`) as [string, string];
  const phone = { viewport: { width: 320, height: 640 }, javaScriptEnabled: false };
  const page = await harness.page(phone);
  await page.goto(arabic);
  assert.equal(await page.locator('html').getAttribute('dir'), 'rtl');
  assert.equal(await page.getByRole('button').count(), 1);
  await page.goto(`${arabic}?lang=de`);
  await button(page, 'Erinnerungen abbestellen').click();
  await heading(page, 'Erinnerungen abbestellt').waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  await page.reload();
  await page.goto(arabic);
  assert.equal(await page.getByRole('button').count(), 0, 'a later visit shows that they have stopped');
  const stopped = (await harness.links(project)).map(({ remindersStopped }) => remindersStopped);
  assert.deepEqual(stopped, [true, false]);

  const scripted = await harness.page({ viewport: { width: 320, height: 640 } });
  await scripted.goto(english);
  await checkAccessibility(scripted, 'the page that stops the reminders');
  const scrolls = await scripted.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth;
  });
  assert.equal(scrolls, false, 'no horizontal scrolling');
  await button(scripted, 'Stop reminders').focus();
  await scripted.keyboard.press('Enter');
  await ending(scripted, 'Reminders stopped');
  await checkAccessibility(scripted, 'the confirmation');
});
