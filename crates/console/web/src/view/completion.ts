/** What could stand at a place of a workflow file. */
import type { SourceCheck, SourceCompletions } from '../api/replies'

/** A place in a JSON text: the names of the fields around it, and whether a name or a value stands there. */
export interface Spot {
  path: string[]
  isName: boolean
}

export interface Proposal {
  label: string
  detail: string
  info: string
}

/** Returns the fields or values that fit a place; elsewhere, the ids of everything that a file may refer to. */
export function proposals(spot: Spot, known: SourceCompletions, dialect: SourceCheck['dialect']): Proposal[] {
  const named = (names: readonly string[], detail: string) => names.map((label) => ({ label, detail, info: '' }))
  const last = spot.path.at(-1)
  if (spot.isName && last === 'needsUser') return named(['reason', 'choice', 'question'], 'field')
  if (spot.isName && (last === 'steps' || last === 'body')) {
    const fields = known.stepFields.filter((it) => dialect === undefined || it.dialect === dialect).flatMap((it) => it.fields)
    return named([...new Set(fields)], 'field')
  }
  if (spot.isName) return []
  if (spot.path.at(-2) === 'needsUser' && last === 'reason') return named(known.needsUserReasons, 'reason')
  if (spot.path.at(-2) === 'needsUser' && last === 'choice') return named(known.needsUserChoices, 'choice')
  const builtins = known.builtins.map((entry) => ({
    label: entry.id,
    detail: entry.kind,
    info: `${entry.label}. ${entry.description}`,
  }))
  return [...builtins, ...named([...known.routines, ...known.workflows], 'here')]
}
