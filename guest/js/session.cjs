// The interpreter of a JavaScript session: runs cells that Cove sends, and keeps their state. This is
// the untrusted side. Cells are evaluated as node's own REPL would: declarations stay, `await` works at
// the top, the value of the last expression is the result.
'use strict';

const net = require('node:net');
const repl = require('node:repl');
const util = require('node:util');
const { PassThrough, Writable } = require('node:stream');

const LARGEST_TEXT = 1 << 20;
const socket = new net.Socket({ fd: 3, readable: true, writable: true });

// What the REPL says by itself (an error of a callback, mostly) belongs to stderr.
const complaints = new Writable({
  write(chunk, _encoding, done) {
    process.stderr.write(chunk);
    done();
  },
});
const server = repl.start({
  prompt: '',
  input: new PassThrough(),
  output: complaints,
  terminal: false,
  useGlobal: true,
  useColors: false,
  ignoreUndefined: true,
  breakEvalOnSigint: true,
});
let running = false;
let fail = () => {};

function send(type, fields) {
  const text = Buffer.from(JSON.stringify({ type, ...fields }));
  socket.write(`${text.length}\n`);
  socket.write(text);
}

function shorten(text) {
  return (text.length > LARGEST_TEXT ? `${text.slice(0, LARGEST_TEXT)}…` : text).toWellFormed?.() ??
    text.slice(0, LARGEST_TEXT);
}

function forms(value) {
  let text;
  try {
    text = util.inspect(value);
  } catch {
    text = '[a value that cannot be shown]';
  }
  return { 'text/plain': shorten(text) };
}

// display(value), or display({'text/html': '…'}) for data of a type.
global.display = (...values) => {
  for (const value of values) {
    const plain = value !== null && typeof value === 'object' &&
      Object.getPrototypeOf(value) === Object.prototype;
    const types = plain ? Object.keys(value) : [];
    const typed = types.length > 0 && types.every((type) => type.includes('/'));
    const data = {};
    for (const type of typed ? types : []) {
      const content = value[type];
      data[type] = Buffer.isBuffer(content) ? content.toString('base64')
        : typeof content === 'string' ? content : JSON.stringify(content);
    }
    send('display', { data: typed ? data : forms(value) });
  }
};

function describe(problem) {
  const interrupted = problem?.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
  const isError = util.types.isNativeError(problem) || problem instanceof Error;
  const name = interrupted ? 'KeyboardInterrupt' : isError ? String(problem.name) : 'Error';
  const value = isError ? String(problem.message) : shorten(util.inspect(problem));
  const stack = isError && typeof problem.stack === 'string' ? problem.stack : value;
  const ours = /\(?(node:(vm|repl|domain|events|net|stream|internal)|REPL\d+)/;
  const lines = stack.split('\n').filter((line) => !(/^\s+at /.test(line) && (ours.test(line) || line.includes(__filename))));
  return { name, value, traceback: lines.slice(0, 200).map(shorten) };
}

function finish(number, outcome) {
  running = false;
  send('done', { number, ...outcome });
}

// Ends a cell that waits; between cells it ends nothing.
function onInterrupt() {
  if (running) server.emit('SIGINT');
}

function runCell(number, code) {
  running = true;
  send('started', {});
  fail = (problem) => finish(number, { ok: false, error: describe(problem) });
  // While a cell computes, the engine itself listens; our listener would undo that.
  process.removeListener('SIGINT', onInterrupt);
  server.eval(`${code}\n`, server.context, `cell ${number}`, (problem, value) => {
    // An unfinished cell is "recoverable" to the REPL, which would wait for more lines.
    const failed = problem?.err ?? problem;
    if (failed !== null && failed !== undefined) fail(failed);
    else finish(number, value === undefined ? { ok: true } : { ok: true, value: forms(value) });
  });
  process.on('SIGINT', onInterrupt);
}

// The REPL tells of a cell's failure, and of errors in callbacks that nobody caught, in one way.
server._domain.removeAllListeners('error');
server._domain.on('error', (problem) => {
  if (running && !problem?.domainThrown) fail(problem);
  else process.stderr.write(`Uncaught ${describe(problem).traceback.join('\n')}\n`);
});

process.on('SIGINT', onInterrupt);
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`Unhandled rejection: ${util.inspect(reason)}\n`);
});

let buffer = Buffer.alloc(0);
function takeOrder() {
  const end = buffer.indexOf('\n');
  if (end < 0) return false;
  const [verb, number, size] = buffer.toString('latin1', 0, end).split(' ');
  const last = end + 1 + Number(size);
  if (buffer.length < last) return false;
  const body = buffer.toString('utf8', end + 1, last);
  buffer = buffer.subarray(last);
  if (verb === 'cell') runCell(Number(number), body);
  if (verb === 'fork') send('refused', { reason: 'a JavaScript session cannot be forked' });
  if (verb === 'start') {
    const [, cwd, tmp] = body.split('\n');
    require('node:fs').mkdirSync(cwd, { recursive: true });
    process.chdir(cwd);
    if (tmp !== '/tmp') process.env.TMPDIR = tmp;
    send('ready', {});
  }
  return true;
}
socket.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  while (takeOrder());
});
socket.on('close', () => process.exit(0));
socket.on('error', () => process.exit(0));
