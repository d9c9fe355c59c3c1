"""An agent loop in thirty lines: compile tools for a model, judge and run its calls, return the results.

The model is a script, so the example runs anywhere. Replace `ask_model` with the client of your provider.
"""

import json

import atip

box = atip.Toolbox()
tools = [box.get("wc"), box.get_part("git", ["status", "clean"])]
session = atip.Session(tools, provider="anthropic")


def ask_model(messages):
    """Two calls: one that reads, one that would destroy."""
    script = [
        {
            "type": "tool_use",
            "id": "1",
            "name": "wc",
            "input": {"FILE": ["notes.txt"], "lines": True},
        },
        {"type": "tool_use", "id": "2", "name": "git_clean", "input": {"force": True}},
    ]
    return {"role": "assistant", "content": script[len(messages) // 2 :][:1]}


messages = [{"role": "user", "content": "How many notes are there? Then clean up."}]
while True:
    answer = ask_model(messages)
    calls = session.parse(answer)
    if not calls:
        break
    for call in calls:
        try:
            result = box.call(call)  # policy, question, sandbox, bounded and redacted output
            said = session.result(call, result)
        except atip.AtipError as error:
            said = session.result(call, error)
        print(call.name, json.dumps(said, ensure_ascii=False)[:200])
        messages += [answer, said]
