"""An agent's model that needs no service, and what it was told."""

import json

from strands.models import Model


class CallsOnce(Model):
    """Calls one tool once, then says that it is done."""

    def __init__(self, tool: str, tool_input: dict) -> None:
        self.tool = tool
        self.tool_input = tool_input

    def update_config(self, **model_config) -> None:
        pass

    def get_config(self) -> dict:
        return {}

    async def structured_output(self, *arguments, **options):
        raise NotImplementedError
        yield

    async def stream(self, messages, *arguments, **options):
        has_called = any("toolUse" in block for message in messages for block in message["content"])
        yield {"messageStart": {"role": "assistant"}}
        if has_called:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
        else:
            start = {"name": self.tool, "toolUseId": f"tooluse_{self.tool}"}
            yield {"contentBlockStart": {"start": {"toolUse": start}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(self.tool_input)}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if has_called else "tool_use"}}


def result_in(messages: list) -> dict:
    """The one tool result in an agent's messages."""
    [result] = [block["toolResult"] for message in messages for block in message["content"] if "toolResult" in block]
    return result
