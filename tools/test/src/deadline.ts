// Loaded into the process of every test file. The runner bounds each test, but not the file: a handle that a test left
// open, such as a child that never ended, would keep its process, and so the whole run, alive for ever.
const FILE_MS = Number(process.env.TEST_FILE_MS ?? 20 * 60_000);

// The timer itself keeps no process alive.
setTimeout(() => {
  const open = process.getActiveResourcesInfo().join(', ');
  console.error(`The test file has not ended after ${FILE_MS / 1000} s. Open handles: ${open}.`);
  process.exit(1);
}, FILE_MS).unref();
