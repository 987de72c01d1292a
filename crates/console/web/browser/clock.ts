/** A clock for the program and the page, so that screenshots tell of an ordinary day and not of a script's seconds. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Debian puts the library that answers for the system's clock. */
const LIBRARIES = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)

export class Clock {
  private readonly file = join(mkdtempSync(join(tmpdir(), 'piton-clock-')), 'now')
  /** Time that passes before each call of an agent. */
  private stride = 0
  private at: number

  constructor(start: string) {
    this.at = Date.parse(start)
    this.keep()
  }

  get now(): number {
    return this.at
  }

  get environment(): Record<string, string> {
    const library = LIBRARIES.find(existsSync)
    if (!library) throw new Error('libfaketime is missing; run `cargo xtask screenshots`')
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      // Timers go on: only the time of the day is ours.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DISABLE_SHM: '1',
      NO_FAKE_STAT: '1',
      TZ: 'UTC',
    }
  }

  /** Lets `seconds` pass before each call from now on. */
  walk(seconds: number): void {
    this.stride = seconds * 1000
  }

  pass(ms = this.stride): void {
    this.at += ms
    this.keep()
  }

  /** Goes to a time of its own choice. */
  set(time: string): void {
    this.at = Date.parse(time)
    this.keep()
  }

  private keep(): void {
    writeFileSync(this.file, new Date(this.at).toISOString().slice(0, 19).replace('T', ' '))
  }
}
