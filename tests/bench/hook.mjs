// The same hook for Node: reads its event, looks for the state file, and lets everything pass.
import { statSync } from "node:fs";

const pieces = [];
for await (const piece of process.stdin) pieces.push(piece);
try {
  statSync(`${process.env.CLAUDE_PROJECT_DIR}/.uam/state.json`);
} catch {
  // no pipeline
}
process.stdout.write('{"continue":true}\n');
