/** Workflows of the project that the suite looks at. */

const line = (name: string, what: string) => ({
  type: 'regex',
  pattern: `${name}: \\S`,
  message: `Write a line \`${name}: …\` with ${what}.`,
})

/** An investigation: a loop with a decision, and a person's approval before the fix goes in. */
export const INVESTIGATE = {
  id: 'project.investigate',
  name: 'Investigate a fault',
  description: 'From a report to a fix that a person has approved.',
  tags: ['investigation'],
  agentRole: 'You find out why something goes wrong, and you guess as little as you can.',
  features: [{ featureId: 'wr.features.notes_discipline', config: { linesMin: 1, linesMax: 12 } }],
  conditions: [{ conditionId: 'another', kind: 'loop_control', loopId: 'hypotheses' }],
  steps: [
    {
      id: 'reproduce',
      title: 'Reproduce it',
      promptBlocks: {
        goal: 'See the fault happen before you explain it.',
        procedure: ['Read the report.', 'Find the shortest way to see the fault, and write it down.'],
        outputRequired: { Seen: 'a line `Seen: …` with what happened, and how often' },
      },
      validationCriteria: [line('Seen', 'what happened, and how often')],
    },
    {
      id: 'suspects',
      title: 'List suspects',
      promptBlocks: {
        goal: 'Name every place that could cause it, the likeliest first.',
        outputRequired: { Suspects: 'a line `Suspects: …`' },
      },
      validationCriteria: [line('Suspects', 'the places that could cause it')],
    },
    {
      type: 'loop',
      loopId: 'hypotheses',
      title: 'Test each suspect',
      maxIterations: 6,
      while: { kind: 'condition_ref', conditionId: 'another' },
      body: [
        {
          id: 'test',
          title: 'Test one suspect',
          promptBlocks: {
            goal: 'Try to prove the suspect innocent.',
            outputRequired: { Verdict: 'a line `Verdict: …` with what the test showed' },
          },
          validationCriteria: [line('Verdict', 'what the test showed')],
        },
        {
          id: 'decide',
          title: 'Decide whether to go on',
          promptBlocks: { goal: 'Stop when one suspect explains everything that was seen.' },
          outputContract: { contractRef: 'wr.contracts.loop_control' },
        },
      ],
    },
    {
      id: 'fix',
      title: 'Write the fix',
      promptBlocks: {
        goal: 'Change as little as possible, in the scratchpad.',
        outputRequired: { Changed: 'a line `Changed: …` with the files' },
      },
      validationCriteria: [line('Changed', 'the files')],
    },
    {
      id: 'approve',
      title: 'Have the fix approved',
      prompt: 'Put the fix before a person, with what it changes and what could go wrong.',
      needsUser: { reason: 'needs_user_approval', question: 'May this fix go into the project?' },
    },
    { id: 'close', title: 'Close the report', prompt: 'Tell whoever reported it what was wrong.' },
  ],
}

/** A release: a choice that only a person can make. */
export const RELEASE = {
  id: 'project.release',
  name: 'Release the shop',
  description: 'Collects what changed, and publishes it when a person has chosen how.',
  tags: ['release'],
  steps: [
    {
      id: 'collect',
      title: 'Collect what changed',
      prompt: 'List what changed since the last release.',
      validationCriteria: [{ type: 'regex', pattern: 'Version: \\d+\\.\\d+', message: 'Write a line `Version: …`.' }],
    },
    {
      id: 'publish',
      title: 'Publish',
      prompt: 'Publish the release.',
      needsUser: {
        reason: 'needs_user_choice',
        choice: 'external_side_effect',
        question: 'Publish to every customer at once, or to a tenth of them first?',
      },
    },
    { id: 'announce', title: 'Announce it', prompt: 'Tell customers what is new.' },
  ],
}

/** A file that does not load: the console says where. */
export const BROKEN = `{
  "id": "project.refunds",
  "name": "Pay back",
  "steps": [
    { "id": "check", "title": "Check the order" }
  ]
}
`
