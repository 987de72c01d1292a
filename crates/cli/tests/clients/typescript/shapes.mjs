// Holds what was answered to the schemas that Piton publishes.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { require } from "./connect.mjs";

const Ajv = require("ajv/dist/2020").default;

/** Checks by the schemas below `directory`, such as `docs/generated/schema`. */
export class Shapes {
  #directory;
  #ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  #compiled = new Map();

  constructor(directory) {
    this.#directory = directory;
  }

  /** Throws unless `value` fits what `tool` answers. */
  answer(tool, value) {
    this.#check(join("tools", `${tool}.output.json`), value);
  }

  /** Throws unless `value` is an envelope. */
  envelope(value) {
    this.#check("envelope.json", value);
  }

  #check(file, value) {
    if (!this.#compiled.has(file)) {
      this.#compiled.set(file, this.#ajv.compile(JSON.parse(readFileSync(join(this.#directory, file), "utf8"))));
    }
    const fits = this.#compiled.get(file);
    if (!fits(value)) throw new Error(`${file}: ${this.#ajv.errorsText(fits.errors)} in ${JSON.stringify(value)}`);
  }
}
