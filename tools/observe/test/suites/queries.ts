import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from '@recording-request/testing/wait';
import {
  type Asked,
  dashboardQueries,
  quietAndLoud,
  recordedSeries,
  runbookQueries,
  sendAlerts,
  withoutData,
} from '../../src/definitions/live.ts';
import type { ObservedSystem } from '../observed-system.ts';

const ARRIVES = { limitMs: 150_000, everyMs: 2_000 };
const NO_DATA = / or on\(\) vector\(0\)$/;
/**
 * Selectors that match no series in a healthy system, each with the reason. A query without these selectors must return
 * data.
 */
const FAULTS: Readonly<Record<string, string>> = {
  'error_type!=""': 'no outgoing request and no database command fails',
  'error_type=~"5..|unreachable|timeout"': 'the store responds',
  'http_response_status_code=~"5.."': 'no HTTP response has a status of 500 or more',
  'rpc_status_code=~"INTERNAL|UNKNOWN|UNAVAILABLE|DEADLINE_EXCEEDED|RESOURCE_EXHAUSTED"':
    'no call fails with one of our errors',
  'recording_outcome="failed"': 'every event is handled at its first attempt, and every run of ffmpeg succeeds',
  'recording_outcome="killed"': 'no run of ffmpeg is killed',
  ' > 2': 'the processes run on the same clock as the database',
  ' < 0': 'no budget is used up',
};
/** The series that a healthy system does not have, each with the reason. */
const NOWHERE: Readonly<Record<string, string>> = {
  ALERTS: 'nothing fires',
  recording_requests_shed_total: 'no limit is reached',
  recording_webhook_endpoints_paused_total: 'no endpoint fails for days',
  recording_webhook_failing_seconds: 'no endpoint fails',
  otelcol_exporter_send_failed_spans: 'the trace store accepts all spans',
};

/**
 * Returns the parts of the queries that have data in a healthy system. Omits selectors of faults, and the zero that
 * replaces missing series.
 */
const usually = (asked: readonly Asked[]): Asked[] =>
  asked
    .filter(({ expr }) => !Object.keys(NOWHERE).some(series => expr.includes(series)))
    .map(({ where, expr }) => ({
      where,
      expr: Object.keys(FAULTS).reduce(
        (rest, fault) => rest.replaceAll(`, ${fault}`, '').replaceAll(fault, ''),
        expr.replace(NO_DATA, ''),
      ),
    }));

/** Runs the queries of dashboards, rules and runbooks against a system that has handled some clips. */
export function queries({ observability, another, prometheus }: ObservedSystem): void {
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
    // Repeats each operation, because `increase` is 0 for a counter with a single value.
    before(async () => {
      await another();
      await another();
    });
    test('every dashboard query has data, except those about faults', () => answered(usually(dashboardQueries())));
    test('every recording rule has data', () => answered(recordedSeries()));
    test('every runbook query is valid, and has data, except those about faults', async () => {
      const asked = await runbookQueries();
      for (const { expr } of asked) await prometheus.now(expr);
      await answered(usually(asked));
    });
    test('each selector of faults occurs in a query', async () => {
      const asked = [...dashboardQueries(), ...(await runbookQueries())];
      for (const wrong of Object.keys({ ...FAULTS, ...NOWHERE }))
        assert(
          asked.some(({ expr }) => expr.includes(wrong)),
          wrong,
        );
    });
    test('no rule fails', async () => {
      const rules = await prometheus.rules();
      assert(rules.length > 100);
      assert.deepEqual(
        rules.filter(({ health }) => health === 'err'),
        [],
      );
    });
  });

  test('a firing alert silences the alerts that it explains, and no other', async () => {
    const about = 'tried="here"';
    const alert = (alertname: string, severity: string, more = {}) => ({ alertname, severity, tried: 'here', ...more });
    await sendAlerts(alertmanagerUrl, [
      alert('EventsNotPublished', 'page', { job: 'submissions' }),
      alert('ConsumerStuck', 'page'),
      alert('MediaBudgetBurns', 'page', { recording_step: 'media' }),
      alert('MediaBudgetBurns', 'ticket', { recording_step: 'media' }),
      alert('OwnerReadBudgetBurns', 'page', { recording_step: 'owner-reads' }),
      alert('OwnerReadBudgetBurns', 'ticket', { recording_step: 'owner-reads' }),
      alert('LandingBudgetBurns', 'ticket', { recording_step: 'landing' }),
      alert('DiskFull', 'page', { job: 'webhooks' }),
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
