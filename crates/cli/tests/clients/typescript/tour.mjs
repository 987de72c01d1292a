// What an agent submits for the steps of the workflow `wr.tour`.

/** Too little for any step. */
export const NOTHING = { notesMarkdown: "All done." };

/** What passes at a step, on a turn of its loop. */
export function output(step, turn) {
  const notes = {
    notes: "Project: a sample\nSeen: 3 files",
    refusal: "Refused: two lines\nFixed: wrote them",
    guess: "Guess: a.txt, a text\nFound: a text",
    going_back: "Checkpoint: before a rewrite\nGoing back: they stay\nNext: wr.research",
  };
  if (step in notes) return { notesMarkdown: notes[step] };
  const decision = turn < 2 ? "continue" : "stop";
  return { artifacts: [{ kind: "wr.loop_control", loopId: "rounds", decision }] };
}
