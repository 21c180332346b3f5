/** Tests pages and devices in one file, because the services and a browser take longer to start than a suite takes to run. */
import './suites/pages.ts';
// This suite is last, because it searches the logs of all suites for tokens.
import './suites/devices.ts';
