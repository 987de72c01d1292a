/**
 * The editor of workflow files: CodeMirror inside a shadow root, where it may add its styles under our policy. Loaded
 * with the first page that edits.
 */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting, syntaxTree } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { Compartment, EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { LocatedProblem, SourceCheck, SourceCompletions } from '../api/replies'
import { proposals, type Spot } from '../view/completion'

export interface Editor {
  text(): string
  replace(text: string): void
  mark(problems: LocatedProblem[]): void
  goTo(problem: LocatedProblem): void
  setReadOnly(isReadOnly: boolean): void
  destroy(): void
}

export interface EditorOptions {
  text: string
  isReadOnly: boolean
  changed: (text: string) => void
  save: () => void
  completions: () => SourceCompletions | undefined
  dialect: () => SourceCheck['dialect']
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '12px', color: 'var(--text)', backgroundColor: 'var(--ground)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', fontFeatureSettings: "'calt' 0" },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--third)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { paddingLeft: '16px' },
  '.cm-activeLine': { backgroundColor: 'var(--raised)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--sunk)', outline: '1px solid var(--line)' },
  '.cm-tooltip': { border: '0', borderRadius: '8px', backgroundColor: 'var(--ground)', color: 'var(--text)', boxShadow: 'var(--shadow)', overflow: 'hidden' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '280px' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '4px 12px !important' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--sunk)', color: 'var(--text)' },
  '.cm-completionInfo': { padding: '8px 12px', maxWidth: '320px', fontFamily: 'Inter, sans-serif' },
  '.cm-diagnostic': { padding: '8px 12px', borderLeft: '3px solid var(--failed)', fontFamily: 'Inter, sans-serif', whiteSpace: 'pre-wrap' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--failed)', textUnderlineOffset: '3px' },
  '.cm-lint-marker-error': { content: 'none', width: '8px', height: '8px', borderRadius: '50%', backgroundColor: 'var(--failed)', margin: '6px 2px' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunk)', border: '0', color: 'var(--third)' },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--complete)' },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: 'var(--third)' },
])

/** Opens an editor in an element, which gets a shadow root. */
export function openEditor(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const readOnly = new Compartment()
  const lock = (isReadOnly: boolean) => [EditorState.readOnly.of(isReadOnly), EditorView.editable.of(true)]
  const view = new EditorView({
    root,
    parent: root as unknown as HTMLElement,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        lintGutter(),
        json(),
        autocompletion({ override: [(context) => propose(context, options.completions(), options.dialect())], icons: false }),
        syntaxHighlighting(colours),
        theme,
        readOnly.of(lock(options.isReadOnly)),
        EditorView.contentAttributes.of({ 'aria-label': 'Source of the workflow' }),
        EditorView.domEventHandlers({ beforeinput: replaceSelection }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.changed(update.state.doc.toString())
        }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: () => (options.save(), true) },
          // Escape leaves the editor, so that Tab can indent and the keyboard is never trapped.
          { key: 'Escape', run: (it) => (it.contentDOM.blur(), false) },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
      ],
    }),
  })
  // What scrolls must be reachable by keyboard, also where nothing can be edited.
  view.scrollDOM.tabIndex = 0
  const place = ({ range }: LocatedProblem) => {
    const line = view.state.doc.line(Math.min(Math.max(1, range.line), view.state.doc.lines))
    const from = Math.min(line.to, line.from + range.column - 1)
    return { from, to: Math.min(line.to, Math.max(from, line.from + range.endColumn - 1)) }
  }
  return {
    text: () => view.state.doc.toString(),
    replace: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    mark: (problems) => {
      const found = problems.map((it): Diagnostic => ({ ...place(it), severity: 'error', message: `${it.reason}\n${it.fix}` }))
      view.dispatch(setDiagnostics(view.state, found))
    },
    goTo: (problem) => {
      const { from, to } = place(problem)
      view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
      view.focus()
    },
    setReadOnly: (isReadOnly) => view.dispatch({ effects: readOnly.reconfigure(lock(isReadOnly)) }),
    destroy: () => view.destroy(),
  }
}

// Typing over a selection makes Chromium keep the style of what was there in an attribute, which the policy forbids. So
// the selection is replaced here, before the browser does.
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const isPlain = event.inputType === 'insertText' && event.data !== null && !event.isComposing
  if (!isPlain || view.state.selection.main.empty || view.state.readOnly) return false
  event.preventDefault()
  view.dispatch({ ...view.state.replaceSelection(event.data!), userEvent: 'input.type', scrollIntoView: true })
  return true
}

function propose(context: CompletionContext, known: SourceCompletions | undefined, dialect: SourceCheck['dialect']) {
  const word = context.matchBefore(/"[\w.:-]*/)
  if (!known || (!word && !context.explicit)) return null
  const spot = spotAt(context.state, context.pos)
  const found = proposals(spot, known, dialect)
  if (word) return { from: word.from + 1, options: found, validFor: /^[\w.:-]*$/ }
  // Without a quotation mark, what is chosen brings its own.
  const quoted = (label: string) => `"${label}"${spot.isName ? ': ' : ''}`
  return { from: context.pos, options: found.map((option) => ({ ...option, apply: quoted(option.label) })) }
}

/** Returns the names of the fields around a position, and whether the name of one is written there. */
function spotAt(state: EditorState, position: number): Spot {
  let node = syntaxTree(state).resolveInner(position, -1)
  let container: typeof node | null = node
  while (container && container.name !== 'Object' && container.name !== 'Array') container = container.parent
  // Between two fields, the parser counts the position to the one before.
  const isBetween = container?.name === 'Object' && /[{,]\s*$/.test(state.sliceDoc(container.from, position))
  if (isBetween && container) node = container
  const path: string[] = []
  const inName = node.name === 'PropertyName' ? node.parent : null
  for (let at: typeof node | null = node; at; at = at.parent) {
    const name = at.name === 'Property' && at.from !== inName?.from ? at.getChild('PropertyName') : null
    if (name) path.unshift(state.sliceDoc(name.from + 1, name.to - 1))
  }
  // A name that has no value yet is a mistake to the parser, right inside of an object.
  const isName = isBetween || inName !== null || (node.type.isError && node.parent?.name === 'Object')
  return { path, isName }
}
