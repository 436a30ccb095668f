"""Calls tools of the gateway from agents of the Python SDK, and tells what each agent keeps of the result.

Reads {"url", "tools"}; prints [{"tool", "received", "kept", "session"}]: what the gateway answered, what stands in the
agent's messages (bytes as sessions write them) and the file that the SDK wrote for that message, as JSON text.
"""

import json
import sys
import tempfile
from pathlib import Path

import httpx
from stub_model import CallsOnce, result_in
from strands import Agent, ToolContext, tool
from strands.session.file_session_manager import FileSessionManager
from strands.types.session import decode_bytes_values, encode_bytes_values


def remote_tool(url: str, name: str, received: list[str]):
    @tool(name=name, description="A tool of the gateway.", context=True)
    def call(city: str, tool_context: ToolContext) -> dict:
        answer = httpx.post(f"{url}/tools/{name}?to=strands", json=tool_context.tool_use, timeout=60)
        received.append(answer.raise_for_status().text)
        return decode_bytes_values(answer.json())

    return call


def told(url: str, name: str) -> dict:
    received: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(
            model=CallsOnce(name, {"city": "Oslo"}),
            tools=[remote_tool(url, name, received)],
            session_manager=FileSessionManager(session_id=name, storage_dir=folder),
            callback_handler=None,
        )
        agent("Go.")
        files = [path.read_text(encoding="utf-8") for path in Path(folder).rglob("message_*.json")]
    [session] = [text for text in files if '"toolResult"' in text]
    kept = json.dumps(encode_bytes_values(result_in(agent.messages)))
    return {"tool": name, "received": received[0], "kept": kept, "session": session}


asked = json.load(sys.stdin)
print(json.dumps([told(asked["url"], name) for name in asked["tools"]]))
