import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Asked,
  dashboardQueries,
  quietAndLoud,
  recordedSeries,
  runbookQueries,
  sendAlerts,
  withoutData,
} from '@recording-request/observability/live';
import { until } from '@recording-request/testing/wait';
import type { ObservedSystem } from '../observed-system.ts';

const ARRIVES = { limitMs: 150_000, everyMs: 2_000 };
/** What queries of runbooks select that is nowhere while all is well, and why. */
const WRONG: Readonly<Record<string, string>> = {
  'error_type!=""': 'no request to the store and no command of the database fails',
  'http_response_status_code=~"5.."': 'no request is answered with a status of 500 or more',
  'recording_outcome="failed"': 'every event is handled at its first attempt',
  'abs(recording_clock_offset_seconds) > 2': 'the processes have the clock of the database',
};

/** What dashboards, rules and runbooks ask, of a system through which some clips went. */
export function queries({ observability, another, query }: ObservedSystem): void {
  const { prometheusUrl, alertmanagerUrl } = observability;
  const start = Date.now() - 60_000;
  const answered = async (asked: readonly Asked[]) => {
    let empty = asked;
    const isDone = async () => {
      empty = await withoutData(prometheusUrl, empty, start);
      return empty.length === 0;
    };
    await until('every query has data', isDone, ARRIVES).catch(() => assert.deepEqual(empty, []));
  };

  describe('the queries', () => {
    // A counter that was first seen at its value of now has not grown: each thing is done again.
    before(async () => {
      await another();
      await another();
    });
    test('every one of every dashboard has data', () => answered(dashboardQueries()));
    test('every recording rule has data', () => answered(recordedSeries()));
    test('every one of every runbook is understood, and has data unless it selects what is wrong', async () => {
      const asked = await runbookQueries();
      for (const { expr } of asked) await query(expr);
      const selects = (selector: string) => asked.filter(({ expr }) => expr.includes(selector));
      for (const selector of Object.keys(WRONG)) assert(selects(selector).length > 0, `none selects ${selector}`);
      const wrong = new Set(Object.keys(WRONG).flatMap(selects));
      await answered(asked.filter(each => !wrong.has(each)));
    });
    test('no rule fails', async () => {
      const answer = await fetch(`${prometheusUrl}/api/v1/rules`, { signal: AbortSignal.timeout(20_000) });
      const { data } = (await answer.json()) as {
        data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
      };
      const rules = data.groups.flatMap(group => group.rules);
      assert(rules.length > 100);
      assert.deepEqual(
        rules.filter(({ health }) => health === 'err'),
        [],
      );
    });
  });

  test('an alert that fires keeps quiet what it explains, and nothing else', async () => {
    const about = 'tried="here"';
    const alert = (alertname: string, severity: string, more = {}) => ({ alertname, severity, tried: 'here', ...more });
    await sendAlerts(alertmanagerUrl, [
      alert('EventsNotPublished', 'page', { job: 'submissions' }),
      alert('ConsumerStuck', 'page'),
      alert('MediaBudgetBurns', 'page', { objective: 'media' }),
      alert('MediaBudgetBurns', 'ticket', { objective: 'media' }),
      alert('OwnerReadBudgetBurns', 'page', { objective: 'owner-reads' }),
      alert('OwnerReadBudgetBurns', 'ticket', { objective: 'owner-reads' }),
      alert('LandingBudgetBurns', 'ticket', { objective: 'landing' }),
      alert('DiskFull', 'page', { job: 'media' }),
    ]);
    const judged = async () => {
      const { quiet, loud } = await quietAndLoud(alertmanagerUrl, about);
      return quiet.length === 4 && loud.length === 4;
    };
    await until('all are judged', judged, ARRIVES).catch(() => {});
    assert.deepEqual(await quietAndLoud(alertmanagerUrl, about), {
      quiet: ['ConsumerStuck page', 'MediaBudgetBurns page', 'MediaBudgetBurns ticket', 'OwnerReadBudgetBurns ticket'],
      loud: ['DiskFull page', 'EventsNotPublished page', 'LandingBudgetBurns ticket', 'OwnerReadBudgetBurns page'],
    });
  });
}
