// One session for each scenario, by the client of @vscode/debugadapter-testsupport. What it says does not depend on the order of
// what the adapter sends, as with an editor.
//
// Not here: what the answers look like in detail (src/dap/tests).

const assert = require('node:assert');
const path = require('node:path');
const { DebugClient } = require('@vscode/debugadapter-testsupport');

const [cufemu, examples] = process.argv.slice(2);
const program = path.resolve(examples, 'reduce_racy.cuf');

/** A session that stands where its program stopped first. */
async function session(configure, launch = {}) {
  const client = new DebugClient(cufemu, '', 'cufemu');
  // The client starts an adapter by node unless it is told what to execute.
  client._runtime = cufemu;
  client._executable = 'dap';
  await client.start();
  const initialized = client.waitForEvent('initialized');
  await client.initializeRequest();
  await Promise.all([client.launch({ program, ...launch }), initialized]);
  await configure(client);
  const stopped = client.waitForEvent('stopped');
  await client.configurationDoneRequest();
  return { client, stop: (await stopped).body };
}

/** Does a request that makes the program run, and waits for its stop. */
async function moved(client, request) {
  const stopped = client.waitForEvent('stopped');
  await request;
  return (await stopped).body;
}

async function top(client, threadId) {
  const { body } = await client.stackTraceRequest({ threadId, levels: 1 });
  return body.stackFrames[0];
}

async function value(client, frameId, expression) {
  return (await client.evaluateRequest({ expression, frameId, context: 'watch' })).body.result;
}

const at = (line, more = {}) => (client) =>
  client.setBreakpointsRequest({ source: { path: program }, breakpoints: [{ line, ...more }] });

const scenarios = {
  async 'stop on entry, and run to the end'() {
    const { client, stop } = await session(async () => {}, { stopOnEntry: true });
    assert.equal(stop.reason, 'entry');
    const ended = client.waitForEvent('terminated');
    await client.continueRequest({ threadId: stop.threadId });
    await ended;
    return client;
  },
  async 'a conditional breakpoint in a kernel, and its lanes'() {
    const { client, stop } = await session(at(14, { condition: 't == 3' }));
    assert.equal(stop.reason, 'breakpoint');
    const frame = await top(client, stop.threadId);
    assert.equal(frame.line, 14);
    assert.equal(await value(client, frame.id, 't'), '3');
    const { threads } = (await client.threadsRequest()).body;
    assert.ok(threads.length === 33 && threads[0].name === 'host', JSON.stringify(threads));
    const other = await top(client, threads[10].id);
    assert.equal(await value(client, other.id, 't'), '10');
    return client;
  },
  async 'a step back over an assignment'() {
    const { client, stop } = await session(at(13, { condition: 't == 1' }));
    const { threadId } = stop;
    let frame = await top(client, threadId);
    assert.equal(await value(client, frame.id, 'h'), '128');
    await moved(client, client.stepBackRequest({ threadId }));
    frame = await top(client, threadId);
    assert.equal(frame.line, 12);
    assert.equal(await value(client, frame.id, 'h'), '0');
    return client;
  },
  async 'a data breakpoint on shared memory'() {
    const { client, stop } = await session(at(12, { condition: 't == 1' }));
    const { threadId } = stop;
    const frame = await top(client, threadId);
    const info = (await client.customRequest('dataBreakpointInfo', { name: 's(33)', frameId: frame.id })).body;
    await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
    await client.customRequest('setDataBreakpoints', { breakpoints: [{ dataId: info.dataId, accessType: 'write' }] });
    const hit = await moved(client, client.continueRequest({ threadId }));
    assert.equal(hit.reason, 'data breakpoint');
    assert.equal((await top(client, hit.threadId)).line, 15);
    return client;
  },
  async 'scopes, variables and pages of an array'() {
    const { client, stop } = await session(at(11));
    const frame = await top(client, stop.threadId);
    const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body;
    const shared = scopes.find((s) => s.name === 'Shared memory');
    const { variables } = (await client.variablesRequest({ variablesReference: shared.variablesReference })).body;
    const array = variables.find((v) => v.name === 's');
    assert.equal(array.indexedVariables, 256);
    const page = { variablesReference: array.variablesReference, filter: 'indexed', start: 4, count: 3 };
    const names = (await client.variablesRequest(page)).body.variables.map((v) => v.name + '=' + v.value);
    assert.deepEqual(names, ['(5)=5', '(6)=6', '(7)=7']);
    return client;
  },
  async 'set a variable, and evaluate'() {
    const { client, stop } = await session(at(13, { condition: 't == 2' }));
    const frame = await top(client, stop.threadId);
    const { scopes } = (await client.scopesRequest({ frameId: frame.id })).body;
    const { variablesReference } = scopes.find((s) => s.name === 'Locals');
    await client.setVariableRequest({ variablesReference, name: 'h', value: '64' });
    assert.equal(await value(client, frame.id, 'h + t'), '66');
    return client;
  },
  async 'a finding is an exception'() {
    const { client, stop } = await session(async () => {}, { args: ['--race'] });
    assert.equal(stop.reason, 'exception');
    const info = (await client.customRequest('exceptionInfo', { threadId: stop.threadId })).body;
    assert.match(info.exceptionId, /R0101/);
    return client;
  },
  async 'reverse continue, and what is refused'() {
    const { client, stop } = await session(at(14));
    const back = await moved(client, client.reverseContinueRequest({ threadId: stop.threadId }));
    assert.notEqual((await top(client, back.threadId)).line, 14);
    await assert.rejects(client.customRequest('noSuchRequest', {}), /no request/);
    return client;
  },
};

(async () => {
  let failed = 0;
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      const client = await scenario();
      await client.stop();
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error.message}`);
    }
  }
  const all = Object.keys(scenarios).length;
  console.log(`${all - failed} of ${all}`);
  process.exit(failed ? 1 : 0);
})();
