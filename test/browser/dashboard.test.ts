/** The dashboard in one file, as the services and a browser take longer to start than a suite takes to run. */
import './suites/dashboard-page.ts';
import './suites/dashboard.ts';
// Last, as it selects clips and notes what is to be seen of them.
import './suites/dashboard-review.ts';
