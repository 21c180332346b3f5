/** Tests the dashboard in one file, because the services and a browser take longer to start than a suite takes to run. */
import './suites/dashboard-page.ts';
import './suites/dashboard.ts';
// This suite is last, because it selects clips and changes their notes.
import './suites/dashboard-review.ts';
