"""Puts results of the gateway into the ADK's own classes, and makes results as tools of watsonx Orchestrate do.

Reads {"name": result}; prints {"taken": {"name": {"class", "dictionary"}}, "made": {"name": result}}, each result as
JSON text: what the ADK sends for the result as its ToolResult class (null where it has blocks that the ADK has no class
for) and as a dictionary that a tool returns, and what it sends for results that are made here.
"""

import json
import sys

from ibm_watsonx_orchestrate.agent_builder.tools.python_tool import PythonTool
from ibm_watsonx_orchestrate.run.context import AgentRun
from ibm_watsonx_orchestrate.run.tool_result import Annotations, Role, TextContent, ToolResult
from ibm_watsonx_orchestrate.run.widgets.forms import FormWidget, MessageEvent, TextInput, ToolEvent


def sent(tool, **arguments) -> str:
    """What the ADK sends when it has called a tool."""
    return PythonTool(fn=tool, name="tool", description="A tool.")(**arguments).to_json()


def as_class(result: dict) -> ToolResult | None:
    if any(block["type"] != "text" for block in result["content"]):
        return None
    return ToolResult(
        content=[TextContent.model_validate(block) for block in result["content"]],
        structuredContent=result.get("structuredContent"),
        meta=result.get("_meta"),
    )


def taken(result: dict) -> dict:
    built = as_class(result)
    return {
        "class": None if built is None else sent(lambda: built),
        "dictionary": sent(lambda: result),
    }


def text(value: str, *audience: Role) -> TextContent:
    return TextContent(text=value, annotations=Annotations(audience=list(audience)))


form = FormWidget(
    name="transfer",
    title="Transfer money",
    inputs=[TextInput(name="amount", title="Amount", required=True)],
    on_event=[
        ToolEvent(tool="transfer", parameters={"from": "1207"}, map_input_to="submit"),
        MessageEvent(message="Done."),
    ],
)


def with_context(ctx: AgentRun) -> str:
    ctx.request_context["account"] = "1207"
    return "Account 1207 is chosen."


made = {
    "audience": sent(
        lambda: ToolResult(
            content=[
                text("Your balance is 5,000.00.", Role.USER),
                text("The balance was shown.", Role.ASSISTANT),
                TextContent(text="Anything else?"),
            ],
            structuredContent={"balance": 5000},
        )
    ),
    "widget": sent(lambda: ToolResult(content=[text("Fill in the form.", Role.USER)], widget=form)),
    "dumped": ToolResult(content=["Ready."], widget=form).model_dump_json(),
    "context": sent(with_context, ctx={"city": "Oslo"}),
    "value": sent(lambda: {"celsius": 7, "hours": [1, 2.5, None]}),
    "nan": sent(lambda: {"celsius": float("nan")}),
}

asked = json.load(sys.stdin)
print(json.dumps({"taken": {name: taken(json.loads(one)) for name, one in asked.items()}, "made": made}))
