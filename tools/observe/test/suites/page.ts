import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@recording-request/testing/wait';
import { startPage } from '../../src/page/server.ts';
import type { ObservedSystem } from '../observed-system.ts';

const ARRIVES = { limitMs: 60_000, everyMs: 500 };
const DASHBOARDS = fileURLToPath(new URL('../dashboards/', import.meta.url));

/** Tests the page after one clip was completed. */
export function page({ observability, clip, page, prometheus }: ObservedSystem): void {
  describe('the page', () => {
    test("links to a clip's trace, which leads from the request to the webhook", async () => {
      const link = new RegExp(`<a href="(/zipkin/traces/(\\w+))">Trace of <code>${clip.submissionId}<`);
      const found = await until('the clip is shown', async () => link.exec((await page('/')).text), ARRIVES);
      const [, address = '', traceId] = found;
      const pages = await page(address);
      assert.equal(pages.status, 200);
      assert.match(pages.text, /<title>Zipkin<\/title>/);
      const services = ['gateway', 'media', 'projects', 'submissions', 'transcription', 'webhooks'];
      const stored = async () => {
        const { text } = await page(`/zipkin/api/v2/trace/${traceId}`);
        const spans = JSON.parse(text) as { localEndpoint: { serviceName: string } }[];
        const names = new Set(spans.map(({ localEndpoint }) => localEndpoint.serviceName));
        return services.every(name => names.has(name));
      };
      await until('every service is in the trace', stored, ARRIVES);
    });

    test('shows the steps of the clip beside it', async () => {
      const row = async () => {
        const { text } = await page('/');
        const [cells = ''] =
          /<tr>.*?<\/tr>/s.exec(text.slice(text.indexOf('id="clips"')).replace(/<thead>.*?<\/thead>/s, '')) ?? [];
        return ['landing', 'media', 'transcript', 'webhook'].every(step => cells.includes(`>${step} `));
      };
      await until('each step is shown', row, ARRIVES);
    });

    test('lets a program query Prometheus at the same address, but not change it', async () => {
      const { text } = await page('/api/v1/query?query=vector(1)');
      assert.equal(JSON.parse(text).status, 'success');
      assert.equal((await page('/api/v1/admin/tsdb/clean_tombstones')).status, 404);
    });

    test('finds traces by the id of a clip or a project, and none for another id', async () => {
      const found = await until(
        'the trace is found',
        async () => {
          const answer = await page(`/find?id=${clip.submissionId}`);
          return answer.status === 200 && answer;
        },
        ARRIVES,
      );
      assert.match(found.url + found.text, /\/zipkin\/traces\/\w{32}/);
      const project = await page(`/find?id=${clip.projectId}`);
      assert.match(project.url + project.text, /\/zipkin\/traces\/\w{32}/);
      const none = await page(`/find?id=${randomUUID()}`);
      assert.equal(none.status, 404);
      assert.match(none.text, /There is none/);
    });

    test('draws a dashboard from the services’ metrics; a failed panel shows the reason', async () => {
      const { prometheusUrl, alertmanagerUrl, zipkinUrl } = observability;
      await using own = await startPage({
        ...{ prometheusUrl, alertmanagerUrl, zipkinUrl: new URL(zipkinUrl).origin },
        ...{ dashboardsDir: DASHBOARDS, repositoryDir: DASHBOARDS, scrapeMs: 1_000 },
      });
      await until(
        'a landing is counted',
        async () => (await prometheus.now('recording_uploads_landed_total')).length,
        ARRIVES,
      );
      const panelOf = (text: string, title: string) => {
        const at = text.indexOf(`>${title}</h3>`);
        assert.ok(at > 0, title);
        return text.slice(at, text.indexOf('</section>', at));
      };
      // The page shows points only at whole steps, so the newest values appear with the next step.
      const drawn = async () => {
        const text = await (await fetch(`${own.url}/dashboards/sample`)).text();
        const isDrawn = !panelOf(text, 'Clips landed').includes('class="empty"');
        // Each service sends its metrics at a different time.
        return isDrawn && panelOf(text, 'Requests by route').includes('/r/{token}/uploads') ? text : false;
      };
      const text = await until('the landing and the requests of its upload are drawn', drawn, ARRIVES);
      const panel = (title: string) => panelOf(text, title);
      assert.match(panel('Clips landed'), /class="figure green".*<dd>1<\/dd>/s);
      assert.match(panel('Requests by route'), /class="chart".*data-chart="\{.*&quot;values&quot;:\[[^\]]*\d/);
      assert.match(panel('Words'), /<strong>the runbooks<\/strong>.*<li>one<\/li>/s);
      assert.match(panel('Nothing'), /Nothing in this time/);
      assert.match(panel('Malformed'), /class="fault".*parse error/s);
      assert.match(panel('Unknown kind'), /does not draw/);
      // The list of services contains a service that Prometheus knows.
      assert.match(text, /<option value="gateway">/);
    });

    test('runs a runbook’s query and shows a chart and figures; a malformed one shows the reason', async () => {
      const shown = await page(`/query?${new URLSearchParams({ expr: 'up' })}`);
      assert.match(shown.text, /job=collector.*<td class="number">1<\/td>/s);
      assert.match((await page('/query?expr=sum(')).text, /parse error/);
    });

    test('series have their service as job, and a trace behind a figure', async () => {
      const jobs = await prometheus.now('count by (job) (target_info{job!="collector"})');
      const names = jobs.map(({ labels }) => labels.job).sort();
      assert.deepEqual(names, ['gateway', 'media', 'projects', 'submissions', 'transcription', 'webhooks']);
      const span = { start: Date.now() / 1000 - 600, end: Date.now() / 1000, stepSeconds: 1 };
      const expr = '{__name__=~"traces_span_metrics_duration.*_bucket"}';
      const exemplars = async () => (await prometheus.exemplars(expr, span)).length > 0;
      await until('an exemplar has a trace', exemplars, ARRIVES);
    });
  });
}
