#!/usr/bin/env node
// Starts the program from the package for this platform, which npm installed beside this one.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

function program() {
  const platform = `${process.platform}-${process.arch}`;
  const { optionalDependencies } = require("../package.json");
  const name = Object.keys(optionalDependencies).find((name) => name.endsWith(platform));
  const build = "With Rust (https://rustup.rs), build it: cargo install {crate} --locked";
  if (!name) {
    fail(`There is no ready-made piton for ${platform}. ${build}`);
  }
  try {
    return require.resolve(`${name}/bin/piton`);
  } catch {
    fail(
      `The package ${name} is missing: npm was told to omit optional packages, or this system has no glibc.\n` +
        `Install piton again without --omit=optional. ${build}`,
    );
  }
}

function fail(message) {
  console.error(`piton: ${message}`);
  process.exit(1);
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`could not start: ${error.message}`));

// Whoever stops this process means the program. A terminal sends Ctrl-C to both by itself.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) {
      child.kill(signal);
    }
  });
}

child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
