// The extension of VS Code: it starts `cufemu dap`, checks files when they are saved, and shows pictures of a stopped program.
//
// Not here: the debugger itself (`cufemu dap`), colours of the source (`syntaxes`), settings and launch configurations
// (`package.json`).
"use strict";

const vscode = require("vscode");
const { execFile } = require("child_process");
const path = require("path");

const LANGUAGE = "cuda-fortran";
const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
};

/** The cufemu command. */
function command() {
  return vscode.workspace.getConfiguration("cufemu").get("path") || "cufemu";
}

/** Starts the debug adapter. VS Code says nothing of a command that it cannot start, so that is looked for here. */
const adapters = {
  async createDebugAdapterDescriptor(session) {
    const port = session.configuration.debugServer;
    if (typeof port === "number") {
      return new vscode.DebugAdapterServer(port);
    }
    const error = await new Promise((done) => execFile(command(), ["--version"], done));
    if (error) {
      offerSettings(`cufemu cannot be started: ${error.message}.`);
      throw new Error(`cannot start ${command()}`);
    }
    return new vscode.DebugAdapterExecutable(command(), ["dap"]);
  },
};

/** Says what is wrong with the path of cufemu. */
async function offerSettings(text) {
  const answer = await vscode.window.showErrorMessage(text, "Open Settings");
  if (answer) {
    vscode.commands.executeCommand("workbench.action.openSettings", "cufemu.path");
  }
}

/** Completes launch configurations; without one, the file of the active editor is debugged. */
const configurations = {
  provideDebugConfigurations() {
    return [thisFile()];
  },
  resolveDebugConfiguration(_folder, config) {
    const editor = vscode.window.activeTextEditor;
    if (!config.type && !config.request && !config.name) {
      if (!editor || editor.document.languageId !== LANGUAGE) {
        return undefined;
      }
      return thisFile();
    }
    return config;
  },
  resolveDebugConfigurationWithSubstitutedVariables(_folder, config) {
    const first = Array.isArray(config.program) ? config.program[0] : config.program;
    if (!config.cwd && typeof first === "string" && path.isAbsolute(first)) {
      config.cwd = path.dirname(first);
    }
    return config;
  },
};

function thisFile() {
  return {
    type: "cufemu",
    request: "launch",
    name: "Debug this file",
    program: "${file}",
    args: ["--race"],
    cwd: "${fileDirname}",
  };
}

/** Checks a file and shows its errors and warnings. */
function check(document, problems) {
  const settings = vscode.workspace.getConfiguration("cufemu", document.uri);
  const isMeant = document.languageId === LANGUAGE && document.uri.scheme === "file";
  if (!isMeant || !settings.get("checkOnSave") || !vscode.workspace.isTrusted) {
    return;
  }
  const file = document.uri.fsPath;
  const args = ["check", "--message-format", "json", ...settings.get("checkArgs"), file];
  const options = { cwd: path.dirname(file), maxBuffer: 16 << 20, timeout: 60000 };
  execFile(command(), args, options, (error, _output, said) => {
    if (error && error.code === "ENOENT") {
      vscode.window.setStatusBarMessage(`cufemu: there is no command "${command()}"; see the setting cufemu.path`, 10000);
      return;
    }
    const byFile = new Map([[file, []]]);
    for (const line of said.split("\n").filter((text) => text.startsWith("{"))) {
      const found = parsed(line);
      if (!found || !found.place) {
        continue;
      }
      const where = path.resolve(path.dirname(file), found.place.file);
      if (!byFile.has(where)) {
        byFile.set(where, []);
      }
      byFile.get(where).push(problem(found, path.dirname(file)));
    }
    for (const [where, all] of byFile) {
      problems.set(vscode.Uri.file(where), all);
    }
  });
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function range(place) {
  return new vscode.Range(place.line - 1, place.column - 1, place.end_line - 1, place.end_column - 1);
}

/** A diagnostic of cufemu as VS Code has it. */
function problem(found, folder) {
  const text = [found.message, ...found.helps.map((help) => `help: ${help}`), ...found.notes.map((note) => `note: ${note}`)];
  const severity = SEVERITIES[found.severity] ?? vscode.DiagnosticSeverity.Information;
  const shown = new vscode.Diagnostic(range(found.place), text.join("\n"), severity);
  shown.code = found.code;
  shown.source = "cufemu";
  const related = found.related.filter((other) => other.place);
  shown.relatedInformation = related.map((other) => {
    const uri = vscode.Uri.file(path.resolve(folder, other.place.file));
    return new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, range(other.place)), other.label);
  });
  return shown;
}

/** The debug session that pictures show. */
function session() {
  const active = vscode.debug.activeDebugSession;
  return active && active.type === "cufemu" ? active : undefined;
}

/** Asks the debugger; what it refuses is shown. */
async function ask(request, args) {
  const active = session();
  if (!active) {
    vscode.window.showInformationMessage("No program is being debugged with cufemu.");
    return undefined;
  }
  try {
    return await active.customRequest(request, args);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
    return undefined;
  }
}

/** Asks for a picture of the selected frame; the answer, or a page that says why there is none. */
async function look(request, args) {
  const item = vscode.debug.activeStackItem;
  const frameId = item && typeof item.frameId === "number" ? item.frameId : undefined;
  try {
    return await session().customRequest(request, { ...args, frameId });
  } catch {
    // Just after a stop the selected frame is that of the stop before. Without a frame, that of the new stop is meant.
  }
  try {
    return await session().customRequest(request, args);
  } catch (error) {
    return { refused: `<p>${escaped(error.message)}</p>` };
  }
}

/** The triple in a text such as `(2,1)` or `2`. */
function triple(text) {
  const numbers = text.replace(/[()\s]/g, "").split(",").map(Number);
  const isTriple = numbers.length <= 3 && numbers.every((n) => Number.isInteger(n) && n >= 1);
  return isTriple ? [...numbers, 1, 1].slice(0, 3) : undefined;
}

async function chooseFocus() {
  const text = await vscode.window.showInputBox({
    title: "Block and thread",
    prompt: "Indices of blockidx and threadidx, from 1, such as: block (2,1) thread (33,1)",
    value: "block (1,1,1) thread (1,1,1)",
  });
  if (text === undefined) {
    return;
  }
  const wanted = {};
  for (const [, name, indices] of text.matchAll(/(block|thread)\s*(\([^)]*\)|\d+)/g)) {
    wanted[name] = triple(indices);
    if (!wanted[name]) {
      vscode.window.showErrorMessage(`${indices} is not an index; indices begin at 1.`);
      return;
    }
  }
  await ask("cufemu/focus", wanted);
}

/** Panels that are drawn again at each stop. */
const pictures = new Set();

/** Opens a panel. `content` gives its page at each stop; `on` hears what the page says. */
function picture(title, content, on) {
  const panel = vscode.window.createWebviewPanel("cufemu", title, vscode.ViewColumn.Beside, { enableScripts: true });
  const draw = async () => {
    const body = session() ? await content() : undefined;
    if (body !== undefined) {
      panel.webview.html = page(body);
    }
  };
  panel.webview.onDidReceiveMessage((message) => on && on(message));
  panel.onDidDispose(() => pictures.delete(draw));
  pictures.add(draw);
  draw();
}

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** A page without access to anything but its own script. */
function page(body) {
  const nonce = Array.from({ length: 24 }, () => Math.floor(Math.random() * 36).toString(36)).join("");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  const style = `body { font-family: var(--vscode-editor-font-family); color: var(--vscode-editor-foreground) }
    .cells { display: grid; gap: 1px; width: fit-content } .cell { min-width: 6px; height: 14px; cursor: pointer }
    .waiting { background: #8884 } .running { background: #2a2 } .polling { background: #b80 } .partly { background: #27a }
    .ended { background: #347 } .focused { outline: 2px solid #e33 } td { padding: 0 1em; text-align: right }`;
  const script = `const editor = acquireVsCodeApi();
    document.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-at]");
      if (cell) editor.postMessage(JSON.parse(cell.dataset.at));
    });`;
  return `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="${policy}"><style>${style}</style>
    </head><body>${body}<script nonce="${nonce}">${script}</script></body></html>`;
}

/** The block of a linear index, from 1. */
function blockAt(linear, [x, y]) {
  return [(linear % x) + 1, (Math.floor(linear / x) % y) + 1, Math.floor(linear / (x * y)) + 1];
}

function showGrid() {
  const content = async () => {
    const map = await look("cufemu/grid", { cells: 4096 });
    if (map.refused) {
      return map.refused;
    }
    const columns = Math.min(map.perCell === 1 ? map.grid[0] : 64, 128);
    const cells = map.cells.map((cell, i) => {
      const at = escaped(JSON.stringify({ block: blockAt(i * map.perCell, map.grid) }));
      const name = `${cell.state}${cell.isFocused ? " focused" : ""}`;
      return `<div class="cell ${name}" title="block (${blockAt(i * map.perCell, map.grid)}): ${cell.state}" data-at="${at}"></div>`;
    });
    return `<h3>${escaped(map.name)}, kernel ${map.kernel}: ${map.ended} of ${map.total} blocks done</h3>
      <p>Running blocks can be clicked on. ${map.perCell > 1 ? `A cell is ${map.perCell} blocks.` : ""}</p>
      <div class="cells" style="grid-template-columns: repeat(${columns}, minmax(6px, 14px))">${cells.join("")}</div>`;
  };
  picture("Grid", content, (message) => ask("cufemu/focus", { block: message.block }));
}

/** A colour between blue and red; a NaN is violet. */
function colour(value, low, high) {
  if (value === null) {
    return "#a0f";
  }
  const part = high > low ? (value - low) / (high - low) : 0.5;
  return `hsl(${Math.round(240 * (1 - part))}, 80%, 45%)`;
}

async function showArray(item) {
  const known = item && item.variable && (item.variable.evaluateName || item.variable.name);
  const expression = known || (await vscode.window.showInputBox({ title: "Array", prompt: "An array or a section of it: a, t(:,:,1)" }));
  if (!expression) {
    return;
  }
  const content = async () => {
    const view = await look("cufemu/array", { expression, size: [128, 128], isMap: true });
    if (view.refused) {
      return view.refused;
    }
    const statistics = view.statistics ?? {};
    const [low, high] = statistics.range ?? [0, 0];
    const columns = Math.max(...view.map.map((row) => row.length), 1);
    const cells = view.map.flatMap((row) => {
      const blank = Array(columns - row.length).fill("<div></div>");
      return row.map((v) => `<div class="cell" style="background:${colour(v, low, high)}" title="${v ?? "NaN"}"></div>`).concat(blank);
    });
    return `<h3>${escaped(expression)} :: ${escaped(view.type)} (${view.dimensions.map(([l, n]) => `${l}:${l + n - 1}`)})</h3>
      <p>${low} … ${high}, ${statistics.nanCount ?? 0} NaN; ${escaped(view.space)} memory. Cells are means.</p>
      <div class="cells" style="gap:0;grid-template-columns: repeat(${columns}, minmax(3px, 14px))">${cells.join("")}</div>`;
  };
  picture(expression, content);
}

async function showLanes() {
  const expression = await vscode.window.showInputBox({ title: "Value in all lanes", prompt: "An expression, such as s(threadidx%x)" });
  if (expression === undefined) {
    return;
  }
  const content = async () => {
    const found = await look("cufemu/lanes", { expression });
    if (found.refused) {
      return found.refused;
    }
    const rows = found.lanes.map((lane) => {
      const at = escaped(JSON.stringify({ lane: lane.lane }));
      const cells = [lane.lane, `(${lane.thread})`, lane.state, lane.line ?? "", lane.value ?? ""];
      return `<tr data-at="${at}">${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`;
    });
    return `<h3>${escaped(expression)}</h3><table><tr><td>lane</td><td>thread</td><td>state</td><td>line</td><td>value</td></tr>
      ${rows.join("")}</table>`;
  };
  picture(`Lanes: ${expression}`, content, (message) => ask("cufemu/focus", { lane: message.lane }));
}

/** Draws the pictures again when the program has stopped. */
const trackers = {
  createDebugAdapterTracker() {
    return {
      onDidSendMessage(message) {
        const isMoved = message.type === "event" && ["stopped", "invalidated"].includes(message.event);
        if (isMoved) {
          pictures.forEach((draw) => draw());
        }
      },
    };
  },
};

function activate(context) {
  const problems = vscode.languages.createDiagnosticCollection("cufemu");
  const checkOne = (document) => check(document, problems);
  context.subscriptions.push(
    problems,
    vscode.debug.registerDebugAdapterDescriptorFactory("cufemu", adapters),
    vscode.debug.registerDebugConfigurationProvider("cufemu", configurations),
    vscode.debug.registerDebugAdapterTrackerFactory("cufemu", trackers),
    vscode.debug.onDidChangeActiveStackItem(() => pictures.forEach((draw) => draw())),
    vscode.workspace.onDidSaveTextDocument(checkOne),
    vscode.workspace.onDidOpenTextDocument(checkOne),
    vscode.workspace.onDidCloseTextDocument((document) => problems.delete(document.uri)),
    vscode.commands.registerCommand("cufemu.focus", chooseFocus),
    vscode.commands.registerCommand("cufemu.grid", showGrid),
    vscode.commands.registerCommand("cufemu.array", showArray),
    vscode.commands.registerCommand("cufemu.lanes", showLanes),
  );
  vscode.workspace.textDocuments.forEach(checkOne);
}

function deactivate() {}

module.exports = { activate, deactivate };
