"""What an agent submits for the steps of the workflow `wr.tour`."""

# Too little for any step.
NOTHING = {"notesMarkdown": "All done."}

NOTES = {
    "notes": "Project: a sample\nSeen: 3 files",
    "refusal": "Refused: two lines\nFixed: wrote them",
    "guess": "Guess: a.txt, a text\nFound: a text",
    "going_back": "Checkpoint: before a rewrite\nGoing back: they stay\nNext: wr.research",
}


def output(reply: dict) -> dict:
    """What passes at the pending step of a reply."""
    step = reply["pending"]["stepId"]
    if step in NOTES:
        return {"notesMarkdown": NOTES[step]}
    decision = "continue" if reply["run"]["turn"] < 2 else "stop"
    return {"artifacts": [{"kind": "wr.loop_control", "loopId": "rounds", "decision": decision}]}
