/** Tests recovery in one file, because starting the services and a browser takes longer than running a suite. */
import './suites/client-upload.ts';
import './suites/network-cuts.ts';
// This suite is last, because it kills and halts the services.
import './suites/recovery.ts';
