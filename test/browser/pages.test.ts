/** The recorder's pages and its devices in one file, as the services and a browser take longer to start than a suite to run. */
import './suites/pages.ts';
// Last, as it looks for tokens in the logs of all of them.
import './suites/devices.ts';
