// A loop of one PocketFlow node that does nothing. Each line "loop N" is answered with the CPU nanoseconds it took.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The packages lie where the first argument says, not beside this script.
const here = createRequire(pathToFileURL(join(process.argv[2], "package.json")));
const { Flow, Node } = here("pocketflow");

class Turn extends Node {
  async post(shared) {
    shared.left -= 1;
    return shared.left === 0 ? "end" : "again";
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [what, count] = line.split(" ");
  if (what !== "loop") throw new Error(`unknown request: ${line}`);
  const turn = new Turn();
  const last = new Node();
  turn.on("again", turn);
  turn.on("end", last);
  const shared = { left: Number(count) };
  const before = process.cpuUsage();
  await new Flow(turn).run(shared);
  const { user, system } = process.cpuUsage(before);
  if (shared.left !== 0) throw new Error(`${shared.left} visits are missing`);
  console.log((user + system) * 1000);
}
