"""Runs a tool as its author wrote it in an agent. Reads {"source", "name", "input"}; prints the agent's tool result."""

import json
import sys

from stub_model import CallsOnce, result_in
from strands import Agent
from strands.types.session import encode_bytes_values

asked = json.load(sys.stdin)
module: dict = {"__name__": "example"}
exec(asked["source"], module)
agent = Agent(
    model=CallsOnce(asked["name"], asked["input"]),
    tools=[module[asked["name"]]],
    callback_handler=None,
)
agent("Go.")
print(json.dumps(encode_bytes_values(result_in(agent.messages))))
